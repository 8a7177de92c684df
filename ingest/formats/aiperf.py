"""AIPerf's profile_export.jsonl: one measured request per line, times in nanoseconds."""

from accounting.domain.tokens import from_inclusive
from accounting.domain.usage import NOTHING_REPORTED, Identity
from ingest.formats.aiperf_rows import ROWS
from ingest.formats.base import Convention, Item, Options, Outcome, RejectedError, Sample
from ingest.formats.bench_records import measured
from ingest.formats.calls import http_status
from ingest.formats.fields import count, text
from ingest.formats.moments import elapsed_ms, moment
from ingest.formats.tables import row_format

#: AIPerf's own code for a request that it gave up itself.
_CANCELLED = 499


def recognise(sample: Sample) -> str:
    """Metrics beside metadata that holds request_start_ns."""
    for each in sample.objects:
        metadata = each.get("metadata")
        if "metrics" in each and isinstance(metadata, dict) and "request_start_ns" in metadata:
            return "has metrics and metadata.request_start_ns"
    return ""


def _row(options: Options, item: Item) -> Outcome:
    """Warm-up requests used tokens too and are tagged."""
    row = ROWS.decoded(item)
    told, failed = row.metadata, row.error is not None or bool(row.metadata.was_cancelled)
    start = moment(told.request_start_ns, "request_start_ns")
    if start is None or not told.x_request_id:
        raise RejectedError("missing_field", "a request without id and start", field="x_request_id")
    # The output's length includes reasoning; counts come from the client's own tokenizer.
    counts = from_inclusive(
        input_tokens=row.count("input_sequence_length"),
        output_tokens=row.count("output_sequence_length"),
        reasoning_output_tokens=row.count("reasoning_token_count"),
    )
    code = count(row.error.code, "error.code") if row.error else None
    is_given_up = bool(told.was_cancelled) or code == _CANCELLED
    latency = row.milliseconds("request_latency")
    return measured(
        item,
        FORMAT,
        options,
        identity=Identity(gateway_request_id=text(told.x_request_id, "x_request_id")),
        started_at=start,
        counts=NOTHING_REPORTED if failed else counts,
        usage_state="missing" if failed else "estimated",
        where={
            "session_id": text(told.x_correlation_id, "x_correlation_id"),
            "turn_id": "" if told.turn_index is None else str(told.turn_index),
            "tags": (("phase", text(told.benchmark_phase, "benchmark_phase")),)
            if told.benchmark_phase
            else (),
        },
        status="error" if failed else "ok",
        error_type=text(row.error.type, "error.type") if row.error else "",
        error_origin="client" if failed and is_given_up else "upstream" if failed else "",
        http_status=http_status(code, "error.code"),
        duration_ms=elapsed_ms(start, moment(told.request_end_ns, "request_end_ns"))
        if latency is None
        else latency,
        ttft_ms=row.milliseconds("time_to_first_token"),
        tpot_ms=row.milliseconds("inter_token_latency"),
    )


FORMAT = row_format(
    name="aiperf",
    title="AIPerf profile export",
    row=_row,
    recognise=recognise,
    convention=Convention.INCLUSIVE,
    key="x_request_id",
    where="aiperf profile writes profile_export.jsonl; --set provider= model= run=",
    source="AIPerf's documentation and source",
    purpose="benchmark",
)
