"""Traces: spans, log records and observations, of which only the innermost count."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.recomputation.files import Record, inner, records, table
from tests.recomputation.providers import first, said
from tests.recomputation.rows import BadRecordError, Row, added, count
from tests.recomputation.wire import export_of

#: Operations that ask a model something.
ASKING = ("chat", "generate_content", "text_completion", "embeddings")
_DETAILS = "gen_ai.client.inference.operation.details"


def value_of(value: Record) -> Any:
    """A typed value of an export, with numbers as texts where it says so."""
    if "arrayValue" in value:
        return [value_of(each) for each in value["arrayValue"].get("values", ())]
    return next(iter(value.values()), None)


def attributes(record: Record) -> Record:
    """Attributes as names and values."""
    found = record.get("attributes") or {}
    if isinstance(found, dict):
        return found
    return {each["key"]: value_of(each["value"]) for each in found}


def exported(path: Path, many: str, scopes: str, one: str) -> Iterator[Record]:
    """Every span or log record of exports, with camel or snake names."""
    found = [export_of(path.read_bytes())] if path.suffix == ".pb" else records(path)
    for record in found:
        for resource in _list(record, many):
            for scope in _list(resource, scopes):
                yield from _list(scope, one)


def _list(record: Record, name: str) -> list[Record]:
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return record.get(name) or record.get(snake) or []


def usage_of(told: Record) -> dict[str, int | None]:
    """Counts under the present names or the older ones."""

    def of(*names: str) -> int | None:
        return count(said(*(told.get(f"gen_ai.usage.{name}") for name in names)))

    sent = said(of("input_tokens", "prompt_tokens"), count(told.get("ai.usage.promptTokens")))
    answered = of("output_tokens", "completion_tokens")
    read = of("cache_read.input_tokens", "cache_read_input_tokens")
    write = of("cache_write.input_tokens", "cache_creation.input_tokens")
    if sent is not None and (read or 0) + (write or 0) > sent:
        sent = added(sent, read, write)  # surely told apart
    return {
        "input": sent,
        "read": read,
        "write": write,
        "output": said(answered, count(told.get("ai.usage.completionTokens"))),
        "reasoning": of("reasoning.output_tokens"),
    }


def otlp(paths: Iterable[Path]) -> Iterator[Row]:
    """Traces and logs of one service: a log record tells of the span it names."""
    for path in paths:
        for span in exported(path, "resourceSpans", "scopeSpans", "spans"):
            yield from _span(span)
        for log in exported(path, "resourceLogs", "scopeLogs", "logRecords"):
            told = attributes(log)
            if _DETAILS in (log.get("eventName"), told.get("event.name")):
                yield from _asked(log, told, "ok")


def _span(span: Record) -> Iterator[Row]:
    told = attributes(span)
    failed = (span.get("status") or {}).get("code") in (2, "STATUS_CODE_ERROR")
    failed = failed or told.get("error.type") is not None
    if told.get("openinference.span.kind"):
        yield from _inference(span, told, failed=failed)
    elif told.get("gen_ai.operation.name") in ASKING or _is_older(told):
        yield from _asked(span, told, "error" if failed else "ok")


def _is_older(told: Record) -> bool:
    """Spans from before operations had names; those around a call repeat what it used."""
    if "gen_ai.operation.name" in told:
        return False
    return "llm.usage.total_tokens" in told or str(told.get("ai.operationId")).count(".") > 1


def _asked(record: Record, told: Record, status: str) -> Iterator[Row]:
    trace = said(record.get("traceId"), record.get("trace_id"), "").lower()
    span = said(record.get("spanId"), record.get("span_id"), "").lower()
    try:
        yield Row(
            key=told.get("gen_ai.response.id") or (trace, span), status=status,
            at=str(said(record.get("startTimeUnixNano"), record.get("timeUnixNano"), "~")),
            session=told.get("gen_ai.conversation.id") or "",
            model=said(told.get("gen_ai.response.model"), told.get("gen_ai.request.model"), ""),
            **usage_of(told),
        )  # fmt: skip
    except BadRecordError:
        return


def _inference(record: Record, told: Record, *, failed: bool) -> Iterator[Row]:
    if told["openinference.span.kind"] not in ("LLM", "EMBEDDING"):
        return
    names = {
        "input": "prompt", "read": "prompt_details.cache_read",
        "write": "prompt_details.cache_write", "output": "completion",
        "reasoning": "completion_details.reasoning",
    }  # fmt: skip
    counts = {kind: count(told.get(f"llm.token_count.{name}")) for kind, name in names.items()}
    yield Row(
        key=repr(record.get("context") or (record.get("traceId"), record.get("spanId")))
        if record.get("context") or record.get("spanId") else repr(record),
        session=told.get("session.id") or "", status="error" if failed else "ok",
        model=said(told.get("llm.model_name"), told.get("embedding.model_name"), ""), **counts,
    )  # fmt: skip


def openinference(path: Path) -> Iterator[Row]:
    """Spans as a tool prints them, or their attributes alone, of either convention."""
    for record in records(path):
        told = record.get("attributes") or record
        if not isinstance(told, dict):
            told = attributes(record)
        failed = (record.get("status") or {}).get("status_code") == "ERROR"
        if "openinference.span.kind" in told:
            yield from _inference(record, told, failed=failed)
        elif told.get("gen_ai.operation.name") in ASKING:
            key = told.get("gen_ai.response.id") or repr(record)
            yield Row(key=key, model=told.get("gen_ai.request.model") or "", **usage_of(told))


def copilot_otel(path: Path) -> Iterator[Row]:
    """Spans of chats; the log record and the agent's span repeat them."""
    for record in records(path):
        told = attributes(record)
        if record.get("type") != "span" or told.get("gen_ai.operation.name") != "chat":
            continue
        failed = (record.get("status") or {}).get("code") == 2
        yield from _asked(record, told, "error" if failed else "ok")


def claude_code_otel(path: Path) -> Iterator[Row]:
    """Log records of requests and of errors, with input besides caches."""
    for log in exported(path, "resourceLogs", "scopeLogs", "logRecords"):
        told = attributes(log)
        name = told.get("event.name")
        if name not in ("api_request", "api_error"):
            continue
        try:
            read, write = (count(told.get(f"cache_{w}_tokens")) for w in ("read", "creation"))
            yield Row(
                key=(told.get("session.id"), told.get("event.sequence")),
                at=log["timeUnixNano"], session=told.get("session.id") or "",
                model=told.get("model") or "", status="error" if name == "api_error" else "ok",
                input=added(count(told.get("input_tokens")), read, write), read=read, write=write,
                output=count(told.get("output_tokens")),
            )  # fmt: skip
        except BadRecordError:
            continue


def langfuse(path: Path) -> Iterator[Row]:
    """Observations in their last state; one whose children tell usage only sums them up."""
    latest: dict[str, Record] = {}
    trace: Record = {}
    for record in table(path) if path.suffix == ".csv" else records(path):
        trace = record.get("trace") or trace
        for each in record.get("observations") or [record]:
            before = latest.get(each.get("id", ""))
            if before is None or str(each.get("updated_at")) >= str(before.get("updated_at")):
                latest[each.get("id", "")] = each
    telling = {key for key, each in latest.items() if _told(each)}
    parents = {key: _parent(each) for key, each in latest.items()}
    above = {one for key in telling for one in _above(key, parents)}
    for key, each in latest.items():
        failed = each.get("level") == "ERROR"
        if key in above or not (key in telling or (failed and each.get("type") == "GENERATION")):
            continue
        try:
            counts = _langfuse_usage(_told(each))
        except BadRecordError:
            continue
        yield Row(
            key=key, at=said(each.get("start_time"), each.get("startTime")),
            session=trace.get("sessionId") or each.get("session_id") or "",
            model=said(each.get("provided_model_name"), each.get("model"), ""),
            status="error" if failed else "ok", **counts,
        )  # fmt: skip


def _told(each: Record) -> Record:
    return inner(each.get("usage_details")) or first(each, "usageDetails")


def _parent(each: Record) -> str | None:
    return each.get("parent_observation_id") or each.get("parentObservationId")


def _above(key: str, parents: dict[str, str | None]) -> Iterator[str]:
    parent = parents.get(key)
    while parent:
        yield parent
        parent = parents.get(parent)


def _langfuse_usage(usage: Record) -> dict[str, int | None]:
    told = {name: count(value) for name, value in usage.items()}
    total = told.pop("total", None)
    sent = {name: value for name, value in told.items() if "output" not in name}
    answered = {name: value for name, value in told.items() if "output" in name}
    read = added(*(v for n, v in sent.items() if "read" in n or "cached" in n))
    write = added(*(v for n, v in sent.items() if "creation" in n))
    thought = added(*(v for n, v in answered.items() if "reasoning" in n))
    whole, output = added(*sent.values()), added(*answered.values())
    buckets = added(whole, output)
    if total is not None and added(told.get("input"), told.get("output")) == total != buckets:
        whole, output = told["input"], told["output"]  # caches and thoughts are told inside of them
    elif total is not None and buckets is not None and total > buckets and thought is None:
        output = (output or 0) + total - buckets
        thought = total - buckets
    return {"input": whole, "read": read, "write": write, "output": output, "reasoning": thought}
