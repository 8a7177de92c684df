"""One span or log record of a GenAI instrumentation as a usage record."""

from dataclasses import replace

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.tokens import TokenCounts, from_inclusive
from accounting.domain.usage import Identity, Use
from ingest.formats import genai_names as names
from ingest.formats.base import Item, Options, Outcome, Skipped
from ingest.formats.calls import counted
from ingest.formats.fields import TEXT_LIMIT
from ingest.formats.fingerprints import fingerprint
from ingest.formats.labels import Labels, checked_tags, labels_of, tags_of_words
from ingest.formats.moments import elapsed_ms
from ingest.formats.nesting import is_too_deep
from ingest.formats.openai_usage import state_of
from ingest.formats.otlp_records import Record
from ingest.formats.otlp_values import Attributes, instant

#: The log record that repeats a request's span.
LOGGED = "gen_ai.client.inference.operation.details"
_OPERATIONS = {"chat", "text_completion", "generate_content", "embeddings"}
_KINDS = {"LLM": "chat", "EMBEDDING": "embeddings"}
_LOOP = {"chat": "chat", "completion": "text_completion", "embedding": "embeddings"}
_LIMITS = ("max_completion_tokens", "max_tokens", "max_output_tokens")


def outcome(record: Record, item: Item, options: Options, *, source: str) -> Outcome:
    """One request, or a skip of what is none: agents, tools and chains repeat the usage of theirs."""
    told = record.told
    operation = operation_of(told)
    if not operation:
        return Skipped(line=item.line)
    started_at, ended_at = instant(record.start, "start time"), instant(record.end, "end time")
    counts, warnings = counts_of(told, operation)
    error = told.text("error.type", "exception.type")
    failed = record.failed or bool(error)
    state = state_of(counts)
    if record.is_log and state == "reported" and counts.cache_read_input_tokens is None:
        state = "partial"  # the span of the same request may tell how much of it was cached
    model = told.text(*names.RESPONSE_MODEL)
    amount = told.cost(*names.COST)
    stream = told.first("gen_ai.request.stream", "llm.is_streaming")[1]
    first_chunk = told.milliseconds(*names.FIRST_CHUNK_S, per_unit=1000)
    response_id = told.text(*names.RESPONSE_ID)
    known = response_id or (record.trace_id and record.span_id)
    use = Use(
        counts=counts,
        usage_state=state,
        source_updated_at=None if record.is_log else ended_at,
        source=source,
        provider=provider_id(told.text(*names.PROVIDER) or options.provider),
        request_model=told.text(*names.REQUEST_MODEL) or model or options.model,
        response_model=model,
        operation=operation,
        service_tier=told.text(*names.TIER, limit=40),
        status="error" if failed else "ok",
        error_type=error,
        error_origin="upstream" if failed else "",
        finish_reason=",".join(told.texts(*names.FINISH))[:80],
        is_stream=stream if isinstance(stream, bool) else None,
        max_output_tokens=_limit(told),
        duration_ms=elapsed_ms(started_at, ended_at),
        ttft_ms=told.milliseconds(*names.FIRST_CHUNK_MS) if first_chunk is None else first_chunk,
        reported_cost=amount,
        reported_currency="" if amount is None else "USD",
    )
    labels = _labels(told)
    return counted(
        item,
        options,
        identity=Identity(
            response_id=response_id,
            trace_id=record.trace_id,
            span_id=record.span_id,
            fingerprint=b"" if known else fingerprint(told.values, str(started_at)),
        ),
        use=use,
        started_at=started_at or ended_at,
        warnings=warnings,
        **labels.where(
            session_id=told.text(*names.SESSION),
            user_id=told.text(*names.USER),
            agent=told.text("gen_ai.agent.name"),
            environment=told.text(*names.ENVIRONMENT) or record.resource.text(*names.ENVIRONMENT),
        ),
    )


def operation_of(told: Attributes) -> str:
    """The operation of a span that is one request by its own operation or kind; else ''."""
    operation = told.text("gen_ai.operation.name")
    if operation:
        return operation if operation in _OPERATIONS else ""
    kind = told.text("openinference.span.kind")
    if kind:
        return _KINDS.get(kind.upper(), "")
    called = told.text("ai.operationId")
    if called:
        return ("embeddings" if "mbed" in called else "chat") if ".do" in called else ""
    return _LOOP.get(told.text("llm.request.type"), "")


def counts_of(told: Attributes, operation: str) -> tuple[TokenCounts, tuple[str, ...]]:
    """Inclusive counts, and doubts about them.

    The conventions say that input includes cached tokens. An instrumentation that passes Anthropic's
    numbers on breaks them; it is caught where more was cached than was put in, or by the total.
    One that itemises what was read from a cache and names no writes reports that there were none.
    """
    given, output = told.count(*names.INPUT), told.count(*names.OUTPUT)
    read, write = told.count(*names.CACHE_READ), told.count(*names.CACHE_WRITE)
    total = told.count(*names.TOTAL)
    cached = (read or 0) + (write or 0)
    warnings: tuple[str, ...] = ()
    if given is not None and cached:
        apart = cached > given or total == given + cached + (output or 0)
        given += cached if apart else 0
        warnings = ("disjoint_input",) if apart else ()
    if output is None and given is not None and operation == "embeddings":
        output = 0
    counts = from_inclusive(
        input_tokens=given,
        cache_read_input_tokens=read,
        cache_write_input_tokens=0 if write is None and read is not None else write,
        input_audio_tokens=told.count(*names.INPUT_AUDIO),
        output_tokens=output,
        reasoning_output_tokens=told.count(*names.REASONING),
        output_audio_tokens=told.count(*names.OUTPUT_AUDIO),
    )
    return counts, warnings


def _limit(told: Attributes) -> int | None:
    """The longest answer asked for; OpenInference keeps the whole call's settings as JSON."""
    asked = told.count("gen_ai.request.max_tokens", "llm.request.max_tokens")
    if asked is not None:
        return asked
    settings = _object(told, "llm.invocation_parameters")
    value = next((settings[name] for name in _LIMITS if name in settings), None)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _labels(told: Attributes) -> Labels:
    """OpenInference's metadata and tags; what is too long for a label is content."""
    written = _object(told, "metadata").items()
    short = {name: value for name, value in written if len(str(value)) <= TEXT_LIMIT}
    found = labels_of(short, "metadata")
    words = told.texts("tag.tags")
    tags = checked_tags(dict(found.tags) | tags_of_words(words, "tag.tags"))
    return replace(found, tags=tags)


def _object(told: Attributes, name: str) -> dict[str, object]:
    """The object that an attribute is, or holds as JSON text; {} where it is none."""
    value = told.values.get(name)
    if isinstance(value, str):
        if is_too_deep(value.encode("utf-8", "replace")):
            return {}
        try:
            value = msgspec.json.decode(value)
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            return {}
    return value if isinstance(value, dict) else {}
