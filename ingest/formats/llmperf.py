"""llmperf's individual responses: one measured request an element, times in seconds."""

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from accounting.domain.tokens import from_inclusive
from accounting.domain.usage import NOTHING_REPORTED, Identity
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
from ingest.formats.bench_runs import cause_of, record_of
from ingest.formats.calls import http_status
from ingest.formats.fields import Decoder, milliseconds, outcomes, required_count
from ingest.formats.occurrences import Seen, numbered

#: llmperf's own code for an answer that it found too short: its tokens were used all the same.
_TOO_SHORT = -100
_MS = 1000
_KEYS = {"number_output_tokens", "ttft_s"}


class Row(msgspec.Struct):
    """One request. A failed one carries an output of 1 and times of 0 that mean nothing."""

    number_input_tokens: int | None = None
    number_output_tokens: int | None = None
    error_code: int | None = None
    error_msg: str | None = None
    ttft_s: float | None = None
    inter_token_latency_s: float | None = None
    end_to_end_latency_s: float | None = None


_DECODER = Decoder(Row, {"number_input_tokens": 1, "number_output_tokens": 1})


def recognise(sample: Sample) -> str:
    """number_output_tokens beside ttft_s."""
    fits = any(each.keys() >= _KEYS for each in sample.objects)
    return "has number_output_tokens and ttft_s" if fits else ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each request; the state numbers the repeats of equal ones."""
    if not isinstance(state, Seen):
        raise TypeError(f"{state!r} is no state of {FORMAT.name}")
    return outcomes(items, partial(_row, options, state))


def _row(options: Options, seen: Seen, item: Item) -> Outcome:
    row = _DECODER.decoded(item)
    failed = row.error_code is not None
    has_used = not failed or row.error_code == _TOO_SHORT
    output = required_count(row.number_output_tokens, "number_output_tokens")
    counts = from_inclusive(
        input_tokens=required_count(row.number_input_tokens, "number_input_tokens"),
        output_tokens=output,
    )
    code = row.error_code if row.error_code and row.error_code > 0 else None
    record = record_of(
        FORMAT,
        options,
        identity=Identity(fingerprint=numbered(seen, row)),
        started_at=None,
        counts=counts if has_used else NOTHING_REPORTED,
        usage_state="estimated" if has_used else "missing",  # one tokenizer for all models
        status="error" if failed else "ok",
        error_type=cause_of(row.error_msg) or str(row.error_code) if failed else "",
        error_origin="" if not failed else "client" if has_used else "upstream",
        http_status=http_status(code, "error_code"),
        duration_ms=_milliseconds(row.end_to_end_latency_s, "end_to_end_latency_s", has_used),
        ttft_ms=_milliseconds(row.ttft_s, "ttft_s", has_used),
        tpot_ms=_milliseconds(row.inter_token_latency_s, "tpot", has_used and output > 1),
    )
    return Counted(line=item.line, records=(record,))


def _milliseconds(seconds: float | None, field: str, is_real: bool) -> float | None:  # noqa: FBT001
    found = milliseconds(seconds, field)
    return round(found * _MS, 6) if found is not None and is_real else None


FORMAT = Format(
    name="llmperf",
    title="llmperf individual responses",
    unit=Unit.JSON,
    scope=Scope.FILE,
    convention=Convention.INCLUSIVE,
    key="what the record says, and which of its equals in the file it is",
    where="llmperf's token_benchmark_ray.py writes …_individual_responses.json; --set provider="
    " model= run=",
    source="ray-project/llmperf and the raw data of its leaderboard",
    recognise=recognise,
    read=read,
    new_state=Seen,
    restamps=True,
    time=Time.ASSUMED,
    purpose="benchmark",
)
