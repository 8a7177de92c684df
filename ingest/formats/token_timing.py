"""token_timing.jsonl: one measured answer per line, as home-made load tests write it."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import partial

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.tokens import TokenCounts
from accounting.domain.usage import NOTHING_REPORTED, Identity, Place, UsageRecord, Use
from ingest.formats.base import (
    Convention,
    Counted,
    Format,
    Item,
    Options,
    Outcome,
    Sample,
    Scope,
    State,
    Time,
    Unit,
)
from ingest.formats.fields import (
    Count,
    Decoder,
    count,
    milliseconds,
    outcomes,
    required_count,
    text,
)
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import state_of

_OUTPUT_NAMES = {"tokens", "output_tokens", "completion_tokens"}
#: Answers that are faster than this were measured in seconds, not in milliseconds.
_LEAST_MS_PER_TOKEN = 0.1
#: How far the total may lie from ttft + tpot · (tokens − 1).
_TOLERANCE = 0.05


class Row(msgspec.Struct):
    """One answer. Times are milliseconds; tokens are output tokens, by any of three names."""

    ttft_ms: Count = None
    tpot_ms: Count = None
    total_ms: Count = None
    tokens: Count = None
    output_tokens: Count = None
    completion_tokens: Count = None
    input_tokens: Count = None
    prompt_tokens: Count = None
    token_timestamps: list[float] | None = None
    model: str | None = None
    request_id: str | int | None = None
    ts: Moment = None
    timestamp: Moment = None
    start: Moment = None
    error: object = None


class Seen(State):
    """How often each record stood in this run so far, by the first 8 bytes of its digest.

    Two records that share those bytes only get larger numbers, the same ones each time.
    """

    times: dict[int, int] = msgspec.field(default_factory=dict)


_DECODER = Decoder(Row, {"tokens": 1, "ttft_ms": 1, "tpot_ms": 1, "total_ms": 1})


def recognise(sample: Sample) -> str:
    """ttft_ms beside a count of output tokens."""
    fits = any("ttft_ms" in each and _OUTPUT_NAMES & each.keys() for each in sample.objects)
    return "has ttft_ms and a count of tokens" if fits else ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each row; the state numbers the repeats of equal rows."""
    if not isinstance(state, Seen):
        raise TypeError(f"{state!r} is no state of {FORMAT.name}")
    return outcomes(items, partial(_row, options, state))


def _row(options: Options, seen: Seen, item: Item) -> Outcome:
    row = _DECODER.decoded(item)
    tokens = required_count(_first(row.tokens, row.output_tokens, row.completion_tokens), "tokens")
    given = count(_first(row.input_tokens, row.prompt_tokens), "input_tokens")
    ttft = milliseconds(row.ttft_ms, "ttft_ms")
    tpot = milliseconds(row.tpot_ms, "tpot_ms")
    total = milliseconds(row.total_ms, "total_ms")
    failed = row.error not in (None, "", False)
    counts = TokenCounts(
        input_tokens=options.input_tokens if given is None else given, output_tokens=tokens
    )
    if failed and not tokens:
        counts = NOTHING_REPORTED
    started_at = _started_at(row)
    model = text(row.model, "model") or options.model
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider=provider_id(options.provider),
        request_model=model,
        response_model="" if failed else model,
        purpose="usage" if options.counts_as_usage else FORMAT.purpose,
        status="error" if failed else "ok",
        error_type=text(row.error, "error") if isinstance(row.error, str) else "",
        duration_ms=total,
        ttft_ms=None if failed else ttft,
        tpot_ms=tpot if tokens > 1 else None,
    )
    place = Place(
        started_at=started_at or options.assumed_time,
        user_id=options.user_id,
        time_quality="exact" if started_at else "assumed",
        line=item.line,
    )
    identity = Identity(fingerprint=_fingerprint(row, options.run, seen))
    record = UsageRecord(identity=identity, use=use, place=place, restamps=started_at is None)
    doubts = () if failed else tuple(_doubts(row, tokens, (ttft, tpot, total)))
    return Counted(line=item.line, records=(record,), warnings=doubts)


def _first(*values: Count) -> Count:
    return next((value for value in values if value is not None), None)


def _started_at(row: Row) -> datetime | None:
    """When the request started; a number below any epoch's is a stopwatch's, not a moment."""
    for name in ("ts", "timestamp", "start"):
        value = getattr(row, name)
        if value is not None and (isinstance(value, str) or value >= 10**9):
            return moment(value, name, naive_is_utc=True)
    return None


def _fingerprint(row: Row, run: str, seen: Seen) -> bytes:
    digest = fingerprint(row)
    start = int.from_bytes(digest[:8])
    seen.times[start] = seen.times.get(start, 0) + 1
    return fingerprint(run, digest.hex(), seen.times[start])


def _doubts(
    row: Row, tokens: int, timings: tuple[float | None, float | None, float | None]
) -> Iterator[str]:
    ttft, tpot, total = timings
    if total and tokens > 1 and total < tokens * _LEAST_MS_PER_TOKEN:
        yield "likely_seconds"
    steps = row.token_timestamps
    if steps is not None and len(steps) != tokens:
        yield "inconsistent_timing"
    elif total is not None and ttft is not None:
        expected = ttft + (tpot or 0) * max(tokens - 1, 0)
        if ttft > total or (tpot is not None and abs(expected - total) > _TOLERANCE * total):
            yield "inconsistent_timing"


FORMAT = Format(
    name="token_timing",
    title="Token timing",
    unit=Unit.JSON,
    scope=Scope.INPUT,
    convention=Convention.INCLUSIVE,
    key="the run's name, what the record says, and which of its equals in the run it is",
    where="your own load test; --set provider= model= run= and, if you know it, input_tokens=",
    source="the project's own convention",
    recognise=recognise,
    read=read,
    new_state=Seen,
    restamps=True,
    time=Time.ASSUMED,
    purpose="benchmark",
)
