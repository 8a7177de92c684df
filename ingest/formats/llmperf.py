"""llmperf's individual responses: one measured request an element, times in seconds."""

import msgspec

from accounting.domain.tokens import from_inclusive
from accounting.domain.usage import NOTHING_REPORTED, Identity
from ingest.formats.base import Convention, Format, Item, Options, Outcome, Scope, Time, Unit
from ingest.formats.bench_records import measured, ms_of_seconds
from ingest.formats.calls import http_status
from ingest.formats.error_names import error_name
from ingest.formats.fields import Decoder, required_count
from ingest.formats.occurrences import Seen, numbered
from ingest.formats.states import read_in_order
from ingest.formats.tables import recognised_by

#: llmperf's own code for an answer that it found too short: its tokens were used all the same.
_TOO_SHORT = -100


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
    duration = ms_of_seconds(row.end_to_end_latency_s, "end_to_end_latency_s")
    ttft = ms_of_seconds(row.ttft_s, "ttft_s")
    tpot = ms_of_seconds(row.inter_token_latency_s, "tpot")
    return measured(
        item,
        FORMAT,
        options,
        identity=Identity(fingerprint=numbered(seen, row)),
        started_at=None,
        counts=counts if has_used else NOTHING_REPORTED,
        usage_state="estimated" if has_used else "missing",  # one tokenizer for all models
        status="error" if failed else "ok",
        error_type=error_name(row.error_msg, unnamed="") or str(row.error_code) if failed else "",
        error_origin="" if not failed else "client" if has_used else "upstream",
        http_status=http_status(code, "error_code"),
        duration_ms=duration if has_used else None,
        ttft_ms=ttft if has_used else None,
        tpot_ms=tpot if has_used and output > 1 else None,
    )


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
    recognise=recognised_by({"number_output_tokens", "ttft_s"}),
    read=read_in_order(Seen, _row),
    new_state=Seen,
    restamps=True,
    time=Time.ASSUMED,
    purpose="benchmark",
)
