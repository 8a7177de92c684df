"""Requests and summaries of benchmarks as the books keep them, and the times they measure."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from accounting.domain.aggregates import Aggregate
from accounting.domain.naming import provider_id
from accounting.domain.periods import checked_moment
from accounting.domain.tokens import TokenCounts
from accounting.domain.usage import NOTHING_REPORTED, Identity, Place, UsageRecord, Use
from ingest.formats.base import Counted, Format, Item, Options, RejectedError, RunInfo
from ingest.formats.fields import milliseconds
from ingest.formats.openai_usage import state_of

_MS = 1000
#: Beyond this no stopwatch goes: it is a unit mistaken.
_LONGEST_S = 10**8


def measured(
    item: Item,
    known: Format,
    options: Options,
    *,
    run: RunInfo | None = None,
    warnings: tuple[str, ...] = (),
    **request: Any,
) -> Counted:
    """One request of a benchmark as an outcome. request: what `record_of` takes of it."""
    record = record_of(known, options, **request)
    return Counted(line=item.line, records=(record,), run=run, warnings=warnings)


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
            purpose=_purpose(known, options),
            **use,
        ),
        place=Place(
            started_at=started_at or options.assumed_time,
            time_quality=time_quality if started_at else "assumed",
            **{"user_id": options.user_id, **(where or {})},
        ),
        restamps=started_at is None,
    )


def summary_of(known: Format, options: Options, **told: Any) -> Aggregate:
    """A run of which its source tells only figures on the whole. told: further fields of Aggregate."""
    return Aggregate(
        source=known.name,
        provider=provider_id(options.provider),
        purpose=_purpose(known, options),
        **told,
    )


def tpot_of(duration_ms: float | None, ttft_ms: float | None, output: int | None) -> float | None:
    """The time for each output token after the first."""
    if duration_ms is None or ttft_ms is None or not output or output < 2 or duration_ms < ttft_ms:
        return None
    return (duration_ms - ttft_ms) / (output - 1)


def ms_of_seconds(seconds: object, field: str) -> float | None:
    """A duration that its source gives in seconds, without the noise of a binary fraction."""
    found = milliseconds(seconds, field)
    return None if found is None else round(found * _MS, 6)


def checked_seconds(seconds: float, field: str) -> float:
    """Seconds that a stopwatch can have measured."""
    if not 0 <= seconds < _LONGEST_S:
        reason = f"{field} = {seconds}, expected a number of seconds of at least 0"
        raise RejectedError("bad_duration", reason, field=field, value=seconds)
    return seconds


def later(start: datetime, seconds: float, field: str) -> datetime:
    """The moment so many seconds after another."""
    return checked_moment(start + timedelta(seconds=checked_seconds(seconds, field)))


def _purpose(known: Format, options: Options) -> str:
    """A benchmark's requests count as usage only where the import says so."""
    return "usage" if options.counts_as_usage else known.purpose
