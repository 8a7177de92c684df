"""A row of a home-made load test: its names, its moment, and what looks wrong about its times."""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from ingest.formats.fields import Count, Decoder, count, required_count
from ingest.formats.moments import Moment, moment

#: Answers that are faster than this were measured in seconds, not in milliseconds.
_LEAST_MS_PER_TOKEN = 0.1
#: How far the total may lie from ttft + tpot · (tokens − 1).
_TOLERANCE = 0.05
#: A number below any epoch's is a stopwatch's, not a moment.
_LEAST_EPOCH = 10**9


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


ROWS = Decoder(Row, {"tokens": 1, "ttft_ms": 1, "tpot_ms": 1, "total_ms": 1})


def output_of(row: Row) -> int:
    """Its output tokens, which must be there."""
    return required_count(_first(row.tokens, row.output_tokens, row.completion_tokens), "tokens")


def input_of(row: Row) -> int | None:
    """Its input tokens, as far as they are told."""
    return count(_first(row.input_tokens, row.prompt_tokens), "input_tokens")


def start_of(row: Row) -> datetime | None:
    """When the request started; a text without offset is UTC."""
    for name in ("ts", "timestamp", "start"):
        value = getattr(row, name)
        if value is not None and (isinstance(value, str) or value >= _LEAST_EPOCH):
            return moment(value, name, naive_is_utc=True)
    return None


def doubts_of(
    row: Row, tokens: int, timings: tuple[float | None, float | None, float | None]
) -> Iterator[str]:
    """Codes of what does not fit together. timings: ttft, tpot and total in milliseconds."""
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


def _first(*values: Count) -> Count:
    return next((value for value in values if value is not None), None)
