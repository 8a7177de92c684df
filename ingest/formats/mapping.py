"""A table of no known format, read by a mapping that a person wrote for it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.periods import checked_moment
from accounting.domain.tokens import TokenCounts, from_disjoint, from_inclusive
from accounting.domain.usage import NOTHING_REPORTED, Identity, Place, UsageRecord, Use
from ingest.formats.base import (
    Convention,
    Counted,
    Format,
    Item,
    Options,
    Outcome,
    RejectedError,
    Scope,
    State,
    Unit,
)
from ingest.formats.fields import Decoder, Exact, cost, count, milliseconds, outcomes, text
from ingest.formats.mapping_definition import (
    COUNTS,
    EPOCHS,
    MS_PER_UNIT,
    BadMappingError,
    ColumnMapping,
    mapping_from,
)
from ingest.formats.moments import moment
from ingest.formats.occurrences import Seen, numbered
from ingest.formats.openai_usage import state_of
from ingest.formats.shown import shown

__all__ = ["NAME", "BadMappingError", "ColumnMapping", "mapped_format", "mapping_from"]

NAME = "mapping"
_ROWS = Decoder(dict[str, msgspec.Raw])
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DIGITS = re.compile(r"\d{1,20}(?:\.\d{1,9})?", re.ASCII)
#: A whole number as spreadsheets and JSON write it when they think in floats.
_WHOLE_FLOAT = re.compile(r"(\d{1,12})\.0+", re.ASCII)
_PLACES = ("session_id", "user_id", "team", "api_key_name", "environment")


def mapped_format(mapping: ColumnMapping) -> Format:
    """A format that reads rows, of CSV or JSON, as the mapping says."""
    has_id = {"response_id", "request_id"} & mapping.columns.keys()
    return Format(
        name=NAME,
        title=f"Mapping {mapping.name}",
        unit=Unit.CSV,
        also=(Unit.JSON,),
        scope=Scope.FILE,
        convention=Convention(mapping.convention),
        key="the mapped id" if has_id else "the mapped cells, and which of its equals a row is",
        where="any table of one request a row",
        source="whoever wrote the mapping",
        recognise=lambda _sample: "",
        read=partial(_read, mapping),
        new_state=Seen,
        purpose=mapping.purpose,
        extensions=(".csv", ".jsonl", ".json", ".xlsx"),
    )


def _read(
    mapping: ColumnMapping, items: Iterable[Item], options: Options, state: State
) -> Iterator[Outcome]:
    """One outcome for each row."""
    if not isinstance(state, Seen):
        raise TypeError(f"{state!r} is no state of a mapping")
    return outcomes(items, partial(_row, mapping, options, state))


def _row(mapping: ColumnMapping, options: Options, seen: Seen, item: Item) -> Outcome:
    cells = _cells(mapping, item)
    told = {**mapping.fixed, **{name: text(cell, name) for name, cell in cells.items()}}
    started_at = _moment(mapping, told.get("started_at", ""))
    counts = _counts(mapping, told)
    status = _status(mapping, told.get("status", ""))
    if status == "error" and not counts.input_tokens and not counts.output_tokens:
        counts = NOTHING_REPORTED
    amount = cost(Exact(told.get("reported_cost", "").encode()), "reported_cost")
    per_unit = MS_PER_UNIT[mapping.duration_unit]
    times = {
        name: _milliseconds(told.get(name), name, per_unit) for name in ("duration", "ttft", "tpot")
    }
    model = told.get("model", "") or options.model
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=NAME,
        provider=provider_id(told.get("provider", "") or options.provider),
        request_model=model,
        response_model="" if status == "error" else model,
        purpose="usage" if options.counts_as_usage else mapping.purpose,
        status=status,
        service_tier=told.get("service_tier", ""),
        finish_reason=told.get("finish_reason", ""),
        error_type=told.get("error_type", ""),
        duration_ms=times["duration"],
        ttft_ms=times["ttft"],
        tpot_ms=times["tpot"],
        reported_cost=amount,
        reported_currency="" if amount is None else mapping.currency,
    )
    where: dict[str, Any] = {name: told[name] for name in _PLACES if told.get(name)}
    place = Place(started_at=started_at, line=item.line, **where)
    response_id, request_id = told.get("response_id", ""), told.get("request_id", "")
    identity = Identity(response_id=response_id, gateway_request_id=request_id)
    if not response_id and not request_id:
        identity = Identity(fingerprint=numbered(seen, sorted(told.items())))
    record = UsageRecord(identity=identity, use=use, place=place)
    return Counted(line=item.line, records=(record,), project=told.get("project", ""))


def _cells(mapping: ColumnMapping, item: Item) -> dict[str, str]:
    """The mapped cells by field; unknown ones are left out, a column that is not there is an error."""
    row: Mapping[str, str | msgspec.Raw]
    row = item.body if isinstance(item.body, Mapping) else _ROWS.decoded(item)
    found = {}
    for name, column in mapping.columns.items():
        if isinstance(item.body, Mapping) and column not in row:
            reason = f"no column is named {column[:80]!r}"
            raise RejectedError("missing_column", reason, field=column[:80])
        cell = _plain(row.get(column, ""), column)
        if cell not in mapping.empty:
            found[name] = cell
    return found


def _plain(value: str | msgspec.Raw, column: str) -> str:
    """A cell's own text."""
    if isinstance(value, str):
        return value.strip()
    written = bytes(value).strip()
    if written[:1] in {b"{", b"["}:
        raise RejectedError("bad_type", f"{column[:80]} is no plain value", field=column[:80])
    if written[:1] == b'"':
        return msgspec.json.decode(written, type=str).strip()
    return "" if written == b"null" else written.decode()


def _counts(mapping: ColumnMapping, told: Mapping[str, str]) -> TokenCounts:
    given, read, write, output, reasoning = (_count(told.get(name), name) for name in COUNTS)
    if reasoning is not None and output is not None and mapping.reasoning == "separate":
        output += reasoning
    if mapping.convention == "disjoint":
        return from_disjoint(
            uncached=given,
            cache_read=read,
            cache_write=write,
            output_tokens=output,
            reasoning_output_tokens=reasoning,
        )
    return from_inclusive(
        input_tokens=given,
        cache_read_input_tokens=read,
        cache_write_input_tokens=write,
        output_tokens=output,
        reasoning_output_tokens=reasoning,
    )


def _count(cell: str | None, name: str) -> int | None:
    whole = _WHOLE_FLOAT.fullmatch(cell or "")
    return count(whole[1] if whole else cell, name)


def _milliseconds(cell: str | None, name: str, per_unit: float) -> float | None:
    found = milliseconds(cell, name)
    return None if found is None else round(found * per_unit, 6)


def _status(mapping: ColumnMapping, cell: str) -> str:
    if "status" not in mapping.columns:
        return "ok"
    if cell not in mapping.statuses:
        reason = f"the mapping does not say what the status {shown(cell)} means"
        raise RejectedError("unknown_status", reason, field="status", value=cell)
    return mapping.statuses[cell]


def _moment(mapping: ColumnMapping, cell: str) -> datetime:
    if not cell:
        raise RejectedError("missing_field", "a row without its time", field="started_at")
    if mapping.time in EPOCHS:
        if not _DIGITS.fullmatch(cell):
            raise _bad_time(cell, f"expected {mapping.time}")
        return _since_epoch(cell, EPOCHS[mapping.time])
    if mapping.time == "iso":
        return _iso(mapping, cell)
    if any(letter.isdigit() and not letter.isascii() for letter in cell):
        raise _bad_time(cell, "expected ASCII digits")
    try:
        found = datetime.strptime(cell, mapping.time)  # noqa: DTZ007  the zone follows
    except (ValueError, re.error) as error:
        raise _bad_time(cell, f"expected {mapping.time}") from error
    return checked_moment(found if found.tzinfo else found.replace(tzinfo=mapping.zone))


def _iso(mapping: ColumnMapping, cell: str) -> datetime:
    """A moment with its offset, or in the mapping's zone; of a plain number nobody knows the unit."""
    if _DIGITS.fullmatch(cell):
        raise _bad_time(cell, "expected ISO 8601")
    try:
        found = moment(cell, "started_at")
    except RejectedError:
        if mapping.zone is None:
            raise
        local = moment(cell, "started_at", naive_is_utc=True)
        found = local and checked_moment(local.replace(tzinfo=mapping.zone))
    if found is None:
        raise _bad_time(cell, "expected ISO 8601")
    return found


def _since_epoch(cell: str, microseconds: int) -> datetime:
    try:
        passed = int(Decimal(cell) * microseconds)
        return checked_moment(_EPOCH + timedelta(microseconds=passed))
    except OverflowError as error:
        raise _bad_time(cell, "there is no such moment") from error


def _bad_time(cell: str, why: str) -> RejectedError:
    return RejectedError("bad_time", f"{shown(cell)}: {why}", field="started_at", value=cell)
