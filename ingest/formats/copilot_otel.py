"""GitHub Copilot's own OpenTelemetry file: spans and log records, a JSON line each."""

from collections.abc import Iterable, Iterator
from functools import partial

from accounting.domain.naming import provider_id
from accounting.domain.usage import Identity, Use
from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    Sample,
    Scope,
    Skipped,
    State,
    Unit,
)
from ingest.formats.calls import counted
from ingest.formats.copilot_lines import LINES, counts_of
from ingest.formats.fields import outcomes
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import elapsed_ms
from ingest.formats.openai_usage import state_of
from ingest.formats.otlp_values import instant, of_object

#: The operations that are one request; agents and turns repeat the usage of theirs.
_REQUESTS = {"chat", "text_completion", "generate_content", "embeddings"}
_LOGGED = "gen_ai.client.inference.operation.details"
_FAILED = 2


def recognise(sample: Sample) -> str:
    """Spans or log records with times as [seconds, nanoseconds] and GenAI's attributes."""
    for each in sample.objects:
        told = each.get("attributes")
        timed = isinstance(each.get("startTime", each.get("hrTime")), list)
        if timed and isinstance(told, dict) and any(_is_known(str(name)) for name in told):
            return "has spans or log records of GitHub Copilot's exporter"
    return ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each span and each log record."""
    return outcomes(items, partial(_line, options))


def _line(options: Options, item: Item) -> Outcome:
    line = LINES.decoded(item)
    told = of_object(line.attributes)
    is_span = told.text("gen_ai.operation.name") in _REQUESTS and line.start_time is not None
    is_log = told.text("event.name") == _LOGGED
    if not is_span and not is_log:
        return Skipped(line=item.line)
    ended_at = instant(line.end_time or line.hr_time, "endTime")
    started_at = instant(line.start_time, "startTime") or ended_at
    counts = counts_of(told)
    error = told.text("error.type")
    failed = bool(error) or (line.status is not None and line.status.code == _FAILED)
    state = state_of(counts)
    if is_log and state == "reported" and counts.cache_read_input_tokens is None:
        state = "partial"  # the span of the same request tells how much of it was cached
    model = told.text("gen_ai.response.model")
    provider = told.text("gen_ai.provider.name", "gen_ai.system")
    response_id = told.text("gen_ai.response.id")
    trace_id, span_id = line.trace_id or "", line.span_id or ""
    known = response_id or (trace_id and span_id)
    use = Use(
        counts=counts,
        usage_state=state,
        source_updated_at=ended_at if is_span else None,
        source=FORMAT.name,
        provider="github-copilot" if provider in {"", "github"} else provider_id(provider),
        request_model=told.text("gen_ai.request.model") or model or options.model,
        response_model=model,
        operation=told.text("gen_ai.operation.name") or "chat",
        status="error" if failed else "ok",
        error_type=error,
        error_origin="upstream" if failed else "",
        finish_reason=",".join(told.texts("gen_ai.response.finish_reasons"))[:80],
        max_output_tokens=told.count("gen_ai.request.max_tokens"),
        duration_ms=elapsed_ms(started_at, ended_at) if is_span else None,
        ttft_ms=told.milliseconds("gen_ai.response.time_to_first_chunk", per_unit=1000),
    )
    return counted(
        item,
        options,
        identity=Identity(
            response_id=response_id,
            trace_id=trace_id,
            span_id=span_id,
            fingerprint=b"" if known else fingerprint(line.attributes, str(started_at)),
        ),
        use=use,
        started_at=started_at,
        session_id=told.text("gen_ai.conversation.id"),
        agent=told.text("gen_ai.agent.name"),
    )


def _is_known(name: str) -> bool:
    return name.startswith(("gen_ai.", "github.copilot.", "copilot_chat."))


FORMAT = Format(
    name="copilot_otel",
    title="GitHub Copilot OpenTelemetry file",
    unit=Unit.JSON,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="gen_ai.response.id, else trace and span id; a request's log record meets its span",
    where="the file that COPILOT_OTEL_FILE_EXPORTER_PATH names, ~/.copilot/otel/*.jsonl",
    source="readers of tokscale; OpenTelemetry's GenAI conventions",
    recognise=recognise,
    read=read,
    extensions=(".jsonl",),
)
