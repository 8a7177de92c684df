"""OTLP's attributes and times as plain values, from its JSON encoding or from a plain object.

Shared by every format that reads OpenTelemetry: 64-bit integers come as numbers or as strings,
names in camel case or in snake case, and doubles keep their own digits.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import partial

import msgspec

from ingest.formats.base import RejectedError
from ingest.formats.fields import (
    NOTHING,
    Count,
    Decoder,
    Exact,
    cost,
    count,
    milliseconds,
    text,
)
from ingest.formats.halves import refuse_halves
from ingest.formats.moments import moment
from ingest.formats.shown import shown

#: A value as OTLP's JSON wraps it: {"stringValue": "a"}; one pair of a list of attributes.
AnyValue = dict[str, msgspec.Raw]
#: A time as exporters write it: nanoseconds, [seconds, nanoseconds], or ISO 8601.
Instant = int | float | str | list[int] | None

_DIGITS = re.compile(r"\d{1,20}", re.ASCII)
_WHOLE = re.compile(rb"-?\d{1,19}")


class Attribute(msgspec.Struct):
    """One pair of OTLP's list of attributes."""

    key: str = ""
    value: AnyValue | None = None


class Array(msgspec.Struct):
    """OTLP's arrayValue."""

    values: list[AnyValue] = []


class Pairs(msgspec.Struct):
    """OTLP's kvlistValue."""

    values: list[Attribute] = []


_ARRAYS = Decoder(Array)
_PAIRS = Decoder(Pairs)
_ANYTHING: Decoder[object] = Decoder(object)


@dataclass(frozen=True, slots=True)
class Attributes:
    """Attributes by name. Every question takes names in order of preference, the first set answers.

    values: text, int, bool, list, dict; a number with a point is kept as its own text (Exact).
    """

    values: Mapping[str, object]

    def first(self, *names: str) -> tuple[str, object]:
        """The first of these names that is set, and its value; the last name and None if none is."""
        for name in names:
            value = self.values.get(name)
            if value is not None and value != "":
                return name, value
        return names[-1], None

    def text(self, *names: str, limit: int = 200) -> str:
        """A name; numbers are written out, '' is unknown."""
        name, value = self.first(*names)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        return text(value, name, limit)

    def texts(self, *names: str) -> tuple[str, ...]:
        """A list of names; a single one is a list of one."""
        name, value = self.first(*names)
        listed = value if isinstance(value, list) else [] if value is None else [value]
        return tuple(text(each, name) for each in listed)

    def count(self, *names: str) -> int | None:
        """A count; None is unknown."""
        name, value = self.first(*names)
        return count(_number(value, name), name)

    def milliseconds(self, *names: str, per_unit: int = 1) -> float | None:
        """A duration; per_unit: milliseconds in the source's unit."""
        name, value = self.first(*names)
        found = milliseconds(_number(value, name), name)
        return None if found is None else found * per_unit

    def cost(self, *names: str) -> Decimal | None:
        """An amount, digit for digit."""
        name, value = self.first(*names)
        if isinstance(value, msgspec.Raw):
            return cost(value, name)
        return cost(NOTHING if value is None else Exact(str(value).encode()), name)


def of_pairs(pairs: Iterable[Attribute] | None) -> Attributes:
    """The attributes of OTLP's list; a key that stands twice is rejected."""
    found: dict[str, object] = {}
    for pair in pairs or ():
        if pair.key in found:
            reason = f"the attribute {shown(pair.key, 80)} stands twice"
            raise RejectedError("duplicate_key", reason, field=shown(pair.key, 80))
        found[pair.key] = plain(pair.value)
    return Attributes(found)


def of_object(values: Mapping[str, msgspec.Raw] | None) -> Attributes:
    """The attributes of a plain JSON object."""
    return Attributes({name: _json(value) for name, value in (values or {}).items()})


def plain(value: AnyValue | None) -> object:
    """What OTLP's wrapped value holds."""
    for kind, inner in (value or {}).items():
        match kind.replace("_", "").lower():
            case "arrayvalue":
                return [plain(each) for each in _ARRAYS.of(bytes(inner)).values]
            case "kvlistvalue":
                return dict(of_pairs(_PAIRS.of(bytes(inner)).values).values)
            case "intvalue" | "doublevalue":
                digits = bytes(inner).strip(b'"')
                return int(digits) if _WHOLE.fullmatch(digits) else Exact(digits)
            case _:
                return _json(inner)
    return None


def instant(value: Instant, field: str) -> datetime | None:
    """A moment; None and 0, which OTLP writes for an unknown time, are unknown."""
    if isinstance(value, list):
        if len(value) != 2:
            raise RejectedError("bad_time", f"{field} is no [seconds, nanoseconds]", field=field)
        return moment(value[0] * 10**9 + value[1], field)
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        value = int(value)
    return moment(value or None, field)


class Scope(msgspec.Struct):
    """What produced the records of a group."""

    name: str | None = None
    version: str | None = None


class Resource(msgspec.Struct):
    """What the records are about: a service, a host."""

    attributes: list[Attribute] | None = None


class ScopeGroup(msgspec.Struct):
    """Records of one scope; each kind under both spellings."""

    scope: Scope | None = None
    logs: list[msgspec.Raw] | None = msgspec.field(default=None, name="logRecords")
    logs_snake: list[msgspec.Raw] | None = msgspec.field(default=None, name="log_records")
    spans: list[msgspec.Raw] | None = None


class ResourceGroup(msgspec.Struct):
    """Scopes of one resource."""

    resource: Resource | None = None
    logs: list[ScopeGroup] | None = msgspec.field(default=None, name="scopeLogs")
    logs_snake: list[ScopeGroup] | None = msgspec.field(default=None, name="scope_logs")
    spans: list[ScopeGroup] | None = msgspec.field(default=None, name="scopeSpans")
    spans_snake: list[ScopeGroup] | None = msgspec.field(default=None, name="scope_spans")


class Export(msgspec.Struct):
    """One export request of logs or of traces."""

    logs: list[ResourceGroup] | None = msgspec.field(default=None, name="resourceLogs")
    logs_snake: list[ResourceGroup] | None = msgspec.field(default=None, name="resource_logs")
    spans: list[ResourceGroup] | None = msgspec.field(default=None, name="resourceSpans")
    spans_snake: list[ResourceGroup] | None = msgspec.field(default=None, name="resource_spans")


@dataclass(frozen=True, slots=True)
class Shared:
    """Attributes that several records share, or why they cannot be read: each of them is refused then."""

    found: Attributes | RejectedError

    @property
    def attributes(self) -> Attributes:
        """The attributes; raises the RejectedError."""
        if isinstance(self.found, RejectedError):
            raise self.found
        return self.found


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One record's own JSON text, with what it is about and what produced it."""

    body: bytes
    resource: Shared
    scope: Scope


def shared(read: Callable[[], Attributes]) -> Shared:
    """What several records share, read once."""
    try:
        return Shared(read())
    except RejectedError as error:
        return Shared(error)


def exported(export: Export) -> Iterator[Found]:
    """Each log record and each span of an export, in order."""
    groups = (export.logs, export.logs_snake, export.spans, export.spans_snake)
    for group in (each for listed in groups for each in listed or ()):
        pairs = group.resource.attributes if group.resource else None
        resource = shared(partial(_of_resource, pairs))
        scopes = (group.logs, group.logs_snake, group.spans, group.spans_snake)
        for scoped in (each for listed in scopes for each in listed or ()):
            for listed in (scoped.logs, scoped.logs_snake, scoped.spans):
                for record in listed or ():
                    yield Found(
                        body=bytes(record), resource=resource, scope=scoped.scope or Scope()
                    )


def _of_resource(pairs: list[Attribute] | None) -> Attributes:
    for value in (each for pair in pairs or () for each in (pair.value or {}).values()):
        refuse_halves(bytes(value))
    return of_pairs(pairs)


def _json(value: msgspec.Raw) -> object:
    """A JSON value; a number with a point keeps its text."""
    digits = bytes(value).strip()
    if digits[:1].strip(b"-0123456789") == b"" and not _WHOLE.fullmatch(digits):
        return Exact(digits) if digits else None
    return _ANYTHING.of(digits)


def _number(value: object, field: str) -> Count:
    if isinstance(value, msgspec.Raw):
        digits = bytes(value)[:80].decode("ascii", "replace")
        try:
            found = float(digits)
        except ValueError as error:
            reason = f"{field} is no number"
            raise RejectedError("not_a_number", reason, field=field) from error
        if digits.lstrip("+-")[:1] in "iInN":  # protobuf's doubles may be no number or without end
            reason = f"{field} is not a number"
            raise RejectedError("not_a_number", reason, field=field, value=digits)
        if not math.isfinite(found):
            reason = f"{field} = {digits} is out of range"
            raise RejectedError("number_out_of_range", reason, field=field, value=digits)
        return found
    if value is None or isinstance(value, int | str):
        return value
    raise RejectedError("bad_count", f"{field} is no number", field=field)
