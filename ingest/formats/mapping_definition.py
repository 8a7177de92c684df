"""What the columns of somebody's own table mean: checked once, in words, before anything is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from accounting.domain.currencies import CURRENCIES
from accounting.domain.errors import DomainError
from accounting.domain.usage import PURPOSES, STATUSES

COUNTS = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
)
DURATIONS = ("duration", "ttft", "tpot")
TEXTS = (
    "model", "provider", "response_id", "request_id", "session_id", "user_id", "team", "api_key_name",
    "environment", "project", "service_tier", "finish_reason", "error_type",
)  # fmt: skip
FIELDS = ("started_at", *COUNTS, *DURATIONS, "reported_cost", "status", *TEXTS)
#: Values that may stand for a whole table in place of a column.
FIXED = ("model", "provider", "team", "environment", "project", "user_id", "api_key_name")
EPOCHS = {"epoch_s": 10**6, "epoch_ms": 10**3, "epoch_us": 1}
MS_PER_UNIT = {"s": 1000.0, "ms": 1.0, "us": 0.001}
KEYS = (
    "name", "columns", "fixed", "convention", "reasoning", "time", "zone", "duration_unit",
    "currency", "statuses", "empty", "purpose", "sheet",
)  # fmt: skip
_LONGEST = 200


class BadMappingError(DomainError):
    """A mapping leaves something open that would have to be guessed, or names what is unknown."""

    code = "bad_mapping"


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMapping:
    """A checked mapping.

    columns: field -> column. time: 'iso', a key of EPOCHS, or a pattern of strptime. zone: of times
    without offset. statuses: what a cell says -> status. empty: cells that mean unknown. sheet: of a
    workbook with several.
    """

    name: str
    columns: Mapping[str, str]
    time: str
    fixed: Mapping[str, str] = field(default_factory=dict)
    convention: str = "inclusive"
    reasoning: str = "included"
    zone: ZoneInfo | None = None
    duration_unit: str = "ms"
    currency: str = ""
    statuses: Mapping[str, str] = field(default_factory=dict)
    empty: frozenset[str] = frozenset({""})
    purpose: str = "usage"
    sheet: str = ""
    definition: Mapping[str, Any] = field(default_factory=dict)


def mapping_from(definition: object) -> ColumnMapping:
    """The mapping that a definition describes; BadMappingError says what it lacks.

    Nothing has a default that changes numbers: whatever the mapped columns leave open must be said.
    """
    if not isinstance(definition, Mapping):
        raise BadMappingError("a mapping is an object with columns, time and so on")
    _known(definition, KEYS, "a mapping")
    columns = _texts(definition, "columns", FIELDS)
    fixed = _texts(definition, "fixed", FIXED)
    mapped = columns.keys()
    if both := sorted(mapped & fixed.keys()):
        raise BadMappingError(f"{both[0]} is mapped to a column and fixed too")
    for needed in ("started_at", "model"):
        if needed not in mapped and needed not in fixed:
            raise BadMappingError(f"columns does not say which column is {needed}")
    if not mapped & {"input_tokens", "output_tokens"}:
        raise BadMappingError("columns says neither which column is input_tokens nor output_tokens")
    has_cache = bool(mapped & {"cache_read_input_tokens", "cache_write_input_tokens"})
    has_time = bool(mapped & {*DURATIONS})
    currency = _said(definition, "currency", needed="reported_cost" in mapped)
    if currency and currency not in CURRENCIES:
        raise BadMappingError(f"currency = {currency[:20]!r}, expected ISO 4217 as USD")
    statuses = _texts(definition, "statuses", None)
    if "status" in mapped and not statuses:
        raise BadMappingError("statuses does not say what the cells of the status column mean")
    for status in statuses.values():
        _one_of("statuses", status, STATUSES)
    time = _said(definition, "time", needed=True)
    return ColumnMapping(
        name=_said(definition, "name", needed=False) or "mapping",
        columns=columns,
        fixed=fixed,
        convention=_choice(definition, "convention", ("inclusive", "disjoint"), needed=has_cache),
        reasoning=_choice(
            definition,
            "reasoning",
            ("included", "separate"),
            needed="reasoning_output_tokens" in mapped,
        ),
        time=_time(time),
        zone=_zone(definition, time),
        duration_unit=_choice(definition, "duration_unit", tuple(MS_PER_UNIT), needed=has_time),
        currency=currency,
        statuses=statuses,
        empty=frozenset({"", *_list(definition, "empty")}),
        purpose=_choice(definition, "purpose", PURPOSES, needed=False),
        sheet=_said(definition, "sheet", needed=False),
        definition=dict(definition),
    )


def _known(values: Mapping[Any, Any], names: tuple[str, ...], what: str) -> None:
    for name in values:
        if name not in names:
            raise BadMappingError(f"{what} has no {str(name)[:80]!r}; it has {', '.join(names)}")


def _texts(
    definition: Mapping[str, Any], key: str, names: tuple[str, ...] | None
) -> dict[str, str]:
    found = definition.get(key) or {}
    if not isinstance(found, Mapping):
        raise BadMappingError(f"{key} is no object of names")
    if names:
        _known(found, names, key)
    for name, value in found.items():
        if not isinstance(value, str) or not value or len(value) > _LONGEST:
            raise BadMappingError(f"{key}.{name} is no text of 1 to {_LONGEST} characters")
    return dict(found)


def _list(definition: Mapping[str, Any], key: str) -> list[str]:
    found = definition.get(key) or []
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise BadMappingError(f"{key} is no list of texts")
    return found


def _said(definition: Mapping[str, Any], key: str, *, needed: bool) -> str:
    found = definition.get(key) or ""
    if not isinstance(found, str) or len(found) > _LONGEST:
        raise BadMappingError(f"{key} is no text of at most {_LONGEST} characters")
    if needed and not found:
        raise BadMappingError(f"{key} is not said, and what is mapped depends on it")
    return found


def _choice(
    definition: Mapping[str, Any], key: str, choices: tuple[str, ...], *, needed: bool
) -> str:
    found = _said(definition, key, needed=needed) or choices[0]
    return _one_of(key, found, choices)


def _one_of(key: str, found: str, choices: tuple[str, ...]) -> str:
    if found not in choices:
        raise BadMappingError(f"{key} = {found[:40]!r}, expected {' or '.join(choices)}")
    return found


def _time(written: str) -> str:
    if written == "iso" or written in EPOCHS or "%" in written:
        return written
    expected = f"iso, {', '.join(EPOCHS)} or a pattern such as %Y/%m/%d %H:%M:%S"
    raise BadMappingError(f"time = {written[:40]!r}, expected {expected}")


def _zone(definition: Mapping[str, Any], time: str) -> ZoneInfo | None:
    """The zone of times without offset; a pattern that has none cannot do without."""
    written = _said(definition, "zone", needed="%" in time and "%z" not in time)
    try:
        return ZoneInfo(written) if written else None
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise BadMappingError(f"zone = {written[:40]!r} is no time zone") from error
