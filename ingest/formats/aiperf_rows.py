"""A request in AIPerf's profile export, and its metrics by name."""

import msgspec

from ingest.formats.base import RejectedError
from ingest.formats.fields import Count, Decoder, count, milliseconds
from ingest.formats.shown import shown

_MS_PER_UNIT = {"ms": 1.0, "s": 1000.0, "sec": 1000.0, "us": 0.001, "ns": 0.000001}


class Metadata(msgspec.Struct):
    """Who asked, when, in which phase of the benchmark."""

    x_request_id: str | None = None
    x_correlation_id: str | None = None
    turn_index: int | None = None
    request_start_ns: int | None = None
    request_end_ns: int | None = None
    benchmark_phase: str | None = None
    was_cancelled: bool | None = None


class Metric(msgspec.Struct):
    """A figure with its unit; some are lists, of which none is needed here."""

    value: Count | list[float] = None
    unit: str | None = None


class Error(msgspec.Struct):
    """Why a request failed."""

    code: Count = None
    type: str | None = None


class Row(msgspec.Struct):
    """One request."""

    metadata: Metadata
    metrics: dict[str, Metric] = {}
    error: Error | None = None

    def count(self, name: str) -> int | None:
        """A metric that is a count; None where it is not told, or told only as a list."""
        value = self._value(name)
        return count(value, name)

    def milliseconds(self, name: str) -> float | None:
        """A metric that is a duration, by the unit it is given in."""
        value = self._value(name)
        if value is None:
            return None
        unit = self.metrics[name].unit
        per_unit = _MS_PER_UNIT.get(unit or "ms")
        if per_unit is None:
            reason = f"{name} is in {shown(unit)}, expected ms, s, us or ns"
            raise RejectedError("bad_duration", reason, field=name, value=unit)
        found = milliseconds(value, name)
        return None if found is None else found * per_unit

    def _value(self, name: str) -> Count:
        metric = self.metrics.get(name)
        return None if metric is None or isinstance(metric.value, list) else metric.value


ROWS = Decoder(Row, {"input_sequence_length": 1, "output_sequence_length": 1})
