"""Benchmark runs: their label and settings, and their requests as records."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.periods import checked_moment
from accounting.domain.tokens import TokenCounts
from accounting.domain.usage import NOTHING_REPORTED, Identity, Place, UsageRecord, Use
from ingest.formats.base import Format, Item, Options, Outcome, RejectedError
from ingest.formats.fields import outcome_of, text
from ingest.formats.openai_usage import state_of

_SETTINGS_KEPT = 64
_LONGEST = 200
#: Beyond this no stopwatch goes: it is a unit mistaken.
_LONGEST_S = 10**8
_MEASURED = re.compile(r"_(ms|s|ns|ts|throughput|tokens|retokenized)$|goodput:?$|_per_")
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


def record_of(  # noqa: PLR0913  what a benchmark knows of one request
    known: Format,
    options: Options,
    *,
    identity: Identity,
    started_at: datetime | None,
    counts: TokenCounts = NOTHING_REPORTED,
    time_quality: str = "exact",
    where: Mapping[str, Any] | None = None,
    **use: Any,
) -> UsageRecord:
    """One request of a benchmark. where: fields of Place; use: further fields of Use.

    A time that the source does not give is assumed, and its key is looked for in every month.
    """
    model = use.pop("model", "") or options.model
    failed = use.get("status") == "error"
    use.setdefault("usage_state", state_of(counts))
    return UsageRecord(
        identity=identity,
        use=Use(
            counts=counts,
            source=known.name,
            provider=provider_id(options.provider),
            request_model=model,
            response_model="" if failed else model,
            purpose="usage" if options.counts_as_usage else known.purpose,
            **use,
        ),
        place=Place(
            started_at=started_at or options.assumed_time,
            time_quality=time_quality if started_at else "assumed",
            **{"user_id": options.user_id, **(where or {})},
        ),
        restamps=started_at is None,
    )


def label_of(*parts: object) -> str:
    """A run's label from what tells it apart from other runs; unknown parts are left out."""
    return " · ".join(str(part) for part in parts if part not in (None, ""))[:_LONGEST]


def settings_of(body: bytes, *others: str) -> tuple[tuple[str, str], ...]:
    """A run's own settings: its plain values except what was measured and these others."""
    return tuple(
        (name, value)
        for name, value in _plain_values(body)
        if not _MEASURED.search(name) and name not in others
    )[:_SETTINGS_KEPT]


def measures_of(body: bytes) -> tuple[tuple[str, str], ...]:
    """What a run measured on the whole."""
    values = _plain_values(body)
    return tuple((n, v) for n, v in values if _MEASURED.search(n))[:_SETTINGS_KEPT]


def tpot_of(duration_ms: float | None, ttft_ms: float | None, output: int | None) -> float | None:
    """The time for each output token after the first."""
    if duration_ms is None or ttft_ms is None or not output or output < 2 or duration_ms < ttft_ms:
        return None
    return (duration_ms - ttft_ms) / (output - 1)


def later(start: datetime, seconds: float, field: str) -> datetime:
    """The moment so many seconds after another."""
    if not 0 <= seconds < _LONGEST_S:
        reason = f"{field} = {seconds}, expected a number of seconds of at least 0"
        raise RejectedError("bad_duration", reason, field=field, value=seconds)
    return checked_moment(start + timedelta(seconds=seconds))


def cause_of(written: object) -> str:
    """The name of an error: the last line of what a tool kept, a trace as often as not."""
    lines = str(written or "").strip().splitlines() or [""]
    return text(lines[-1][:80], "error")


def each_document(items: Iterable[Item], one: Callable[[Item], Outcome]) -> Iterator[Outcome]:
    """One outcome for each document; torn ones among lines cost no neighbour."""
    for item in items:
        for part in _parts(item):
            yield outcome_of(part, one)


def _parts(item: Item) -> Iterator[Item]:
    """The item, or its lines where it is no document but some of its lines are."""
    body = item.body
    if item.refusal is not None or not isinstance(body, bytes) or _is_json(body):
        yield item
        return
    lines = body.split(b"\n")
    if not any(_is_json(line) and line.lstrip().startswith(b"{") for line in lines[1:]):
        yield item
        return
    offset = item.offset
    for number, line in enumerate(lines):
        if line.strip():
            yield replace(item, line=item.line + number, offset=offset, body=line)
        offset += len(line) + 1


def _is_json(body: bytes) -> bool:
    try:
        msgspec.json.decode(body, type=msgspec.Raw)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


def _plain_values(body: bytes) -> Iterator[tuple[str, str]]:
    for name, raw in _OBJECT.decode(body).items():
        value = bytes(raw).strip()
        if value[:1] in {b"[", b"{", b"n", b""}:
            continue
        written = msgspec.json.decode(value, type=str) if value[:1] == b'"' else value.decode()
        if 0 < len(written) <= _LONGEST and len(name) <= _LONGEST and "\0" not in name + written:
            yield name, written
