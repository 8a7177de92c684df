"""AIPerf's profile_export.jsonl: one measured request per line, times in nanoseconds."""

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
    RejectedError,
    Sample,
    Scope,
    State,
    Unit,
)
from ingest.formats.bench_runs import record_of
from ingest.formats.calls import http_status
from ingest.formats.fields import Count, Decoder, count, milliseconds, outcomes, text
from ingest.formats.moments import elapsed_ms, moment
from ingest.formats.shown import shown

#: AIPerf's own code for a request that it gave up itself.
_CANCELLED = 499
_MS_PER_UNIT = {"ms": 1.0, "s": 1000.0, "sec": 1000.0, "us": 0.001, "ns": 0.000001}


class Metadata(msgspec.Struct):
    """Who asked, when, in which phase of the benchmark."""

    x_request_id: str | None = None
    x_correlation_id: str | None = None
    turn_index: int | None = None
    request_start_ns: int | None = None
    request_end_ns: int | None = None
    benchmark_phase: str | None = None
    was_cancelled: bool | None = None


class Metric(msgspec.Struct):
    """A figure with its unit; some are lists, of which none is needed here."""

    value: Count | list[float] = None
    unit: str | None = None


class Error(msgspec.Struct):
    """Why a request failed."""

    code: Count = None
    type: str | None = None


class Row(msgspec.Struct):
    """One request."""

    metadata: Metadata
    metrics: dict[str, Metric] = {}
    error: Error | None = None


_DECODER = Decoder(Row, {"input_sequence_length": 1, "output_sequence_length": 1})


def recognise(sample: Sample) -> str:
    """Metrics beside metadata that holds request_start_ns."""
    for each in sample.objects:
        metadata = each.get("metadata")
        if "metrics" in each and isinstance(metadata, dict) and "request_start_ns" in metadata:
            return "has metrics and metadata.request_start_ns"
    return ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each request; warm-up requests used tokens too and are tagged."""
    return outcomes(items, partial(_row, options))


def _row(options: Options, item: Item) -> Outcome:
    row = _DECODER.decoded(item)
    told, failed = row.metadata, row.error is not None or bool(row.metadata.was_cancelled)
    start = moment(told.request_start_ns, "request_start_ns")
    if start is None or not told.x_request_id:
        raise RejectedError("missing_field", "a request without id and start", field="x_request_id")
    # The output's length includes reasoning; counts come from the client's own tokenizer.
    counts = from_inclusive(
        input_tokens=_count(row, "input_sequence_length"),
        output_tokens=_count(row, "output_sequence_length"),
        reasoning_output_tokens=_count(row, "reasoning_token_count"),
    )
    code = count(row.error.code, "error.code") if row.error else None
    is_given_up = bool(told.was_cancelled) or code == _CANCELLED
    latency = _milliseconds(row, "request_latency")
    record = record_of(
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
        ttft_ms=_milliseconds(row, "time_to_first_token"),
        tpot_ms=_milliseconds(row, "inter_token_latency"),
    )
    return Counted(line=item.line, records=(record,))


def _count(row: Row, name: str) -> int | None:
    metric = row.metrics.get(name)
    return None if metric is None or isinstance(metric.value, list) else count(metric.value, name)


def _milliseconds(row: Row, name: str) -> float | None:
    metric = row.metrics.get(name)
    if metric is None or isinstance(metric.value, list):
        return None
    per_unit = _MS_PER_UNIT.get(metric.unit or "ms")
    if per_unit is None:
        reason = f"{name} is in {shown(metric.unit)}, expected ms, s, us or ns"
        raise RejectedError("bad_duration", reason, field=name, value=metric.unit)
    found = milliseconds(metric.value, name)
    return None if found is None else found * per_unit


FORMAT = Format(
    name="aiperf",
    title="AIPerf profile export",
    unit=Unit.JSON,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="x_request_id",
    where="aiperf profile writes profile_export.jsonl; --set provider= model= run=",
    source="AIPerf's documentation and source",
    recognise=recognise,
    read=read,
    purpose="benchmark",
)
