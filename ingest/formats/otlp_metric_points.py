"""OTLP's metrics as structs: sums and histograms with their points, under both spellings."""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from ingest.formats.base import RejectedError
from ingest.formats.fields import NOTHING, Count, Decoder
from ingest.formats.otlp_values import Attribute, Instant, Resource, instant
from ingest.formats.shown import shown

_NAMES = {
    "start": "startTimeUnixNano",
    "end": "timeUnixNano",
    "as_int": "asInt",
    "as_double": "asDouble",
}
_DELTA = {"1", "AGGREGATION_TEMPORALITY_DELTA"}
_CUMULATIVE = {"2", "AGGREGATION_TEMPORALITY_CUMULATIVE"}
_NUMBERS: Decoder[object] = Decoder(object)


class Point(msgspec.Struct, rename=_NAMES):
    """One point: a number, or a histogram's sum and count."""

    attributes: list[Attribute] = []
    start: Instant = None
    end: Instant = None
    as_int: Count = None
    as_double: msgspec.Raw = NOTHING
    sum: msgspec.Raw = NOTHING
    count: Count = None

    def amount(self) -> msgspec.Raw:
        """The point's number in its own digits."""
        if self.as_int is not None:
            return msgspec.Raw(str(self.as_int).encode())
        return self.as_double if bytes(self.as_double) else self.sum

    def total(self) -> Count:
        """The point's number."""
        if self.as_int is not None:
            return self.as_int
        digits = bytes(self.amount())
        found = _NUMBERS.of(digits) if digits else None
        if found is None or isinstance(found, int | float | str):
            return found
        raise RejectedError("bad_count", "a point that is no number", field="asDouble")

    def period(self) -> tuple[datetime, datetime]:
        """What it counts; a point without its start is an instant."""
        end = instant(self.end, "timeUnixNano")
        if end is None:
            raise RejectedError("missing_field", "a point without its time", field="timeUnixNano")
        start = instant(self.start, "startTimeUnixNano") or end
        return min(start, end), end


class Data(
    msgspec.Struct, rename={"points": "dataPoints", "temporality": "aggregationTemporality"}
):
    """The points of one metric."""

    points: list[Point] = []
    temporality: int | str | None = None


class Metric(msgspec.Struct):
    """One metric; gauges are no counts and are not looked at."""

    name: str = ""
    sum: Data | None = None
    histogram: Data | None = None

    def points(self) -> list[Point]:
        """Its points."""
        data = self.sum or self.histogram
        return data.points if data else []

    def is_delta(self) -> bool:
        """Whether its points count since the point before, or since their start.

        RejectedError where it says neither: nobody can know then.
        """
        data = self.sum or self.histogram
        written = str((data.temporality if data else None) or "").upper()
        if written in _DELTA:
            return True
        if written in _CUMULATIVE:
            return False
        reason = f"{shown(self.name, 80)} is neither delta nor cumulative"
        raise RejectedError(
            "bad_temporality", reason, field="aggregationTemporality", value=written
        )


class ScopeMetrics(msgspec.Struct):
    """Metrics of one scope."""

    metrics: list[Metric] = []


class ResourceMetrics(msgspec.Struct):
    """Scopes of one resource."""

    resource: Resource | None = None
    scopes: list[ScopeMetrics] | None = msgspec.field(default=None, name="scopeMetrics")
    scopes_snake: list[ScopeMetrics] | None = msgspec.field(default=None, name="scope_metrics")


class Metrics(msgspec.Struct):
    """One export."""

    groups: list[ResourceMetrics] | None = msgspec.field(default=None, name="resourceMetrics")
    groups_snake: list[ResourceMetrics] | None = msgspec.field(
        default=None, name="resource_metrics"
    )


def points_of(export: Metrics) -> Iterator[tuple[list[Attribute], Metric]]:
    """Each metric with its resource's attributes."""
    for group in (*(export.groups or ()), *(export.groups_snake or ())):
        resource = (group.resource.attributes if group.resource else None) or []
        for scope in (*(group.scopes or ()), *(group.scopes_snake or ())):
            for metric in scope.metrics:
                yield resource, metric
