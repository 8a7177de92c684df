"""Bodies that providers answer with, whole or in pieces."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.recomputation.files import Record, at, events, inner, records
from tests.recomputation.rows import BadRecordError, Row, added, count

type Counts = dict[str, int | None]
_OK = ("completed", "incomplete")


def anthropic_usage(usage: Record) -> Counts:
    """Input besides caches; the longer cache only where it is told apart."""
    read = count(usage.get("cache_read_input_tokens"))
    write = count(usage.get("cache_creation_input_tokens"))
    split = usage.get("cache_creation") or {}
    return {
        "input": added(count(usage.get("input_tokens")), read, write),
        "read": read,
        "write": write,
        "write_1h": count(split.get("ephemeral_1h_input_tokens")),
        "output": count(usage.get("output_tokens")),
        "reasoning": count(at(usage, "output_tokens_details", "thinking_tokens")),
    }


def anthropic_parts(usage: Record, key: Any, model: str, place: Record) -> Iterator[Row]:
    """What another model was asked meanwhile, or first, or what a context cost to compact."""
    tried = usage.get("iterations") or ()
    kinds = {"advisor_message", "compaction"}
    if any(each.get("type") == "fallback_message" for each in tried):
        kinds.add("message")  # another model declined; the usage is that of the one that answered
    beside = [each for each in tried if each.get("type") in kinds]
    for part, each in enumerate(beside, start=1):
        yield Row(
            key=key, part=part, model=each.get("model") or model, **place, **anthropic_usage(each)
        )


def anthropic_messages(path: Path) -> Iterator[Row]:
    """Messages, or the events of a stream: the last value of each field holds."""
    usages: dict[str, Record] = defaultdict(dict)
    models: dict[str, str] = {}
    current = ""
    for record in events(path) if path.suffix != ".json" else records(path):
        message = record.get("message") or record
        if message.get("type") == "message" and message.get("id"):
            current = message["id"]
            models[current] = message.get("model") or ""
        if isinstance(found := message.get("usage") or record.get("usage"), dict) and current:
            told = {name: value for name, value in found.items() if value is not None}
            usages[current].update(told)
    place = {"provider": "anthropic"}
    for key, usage in usages.items():
        yield Row(key=key, model=models[key], **place, **anthropic_usage(usage))
        yield from anthropic_parts(usage, key, models[key], place)


def openai_usage(usage: Record) -> Counts:
    """Usage of a chat or a response: caches and reasoning are parts of it, unless its total says no.

    Vendors name the cache in five ways.
    """
    sent = usage.get("prompt_tokens", usage.get("input_tokens"))
    answered = usage.get("completion_tokens", usage.get("output_tokens"))
    details = first(
        usage, "prompt_tokens_details", "prompt_token_details", "input_tokens_details",
        "input_token_details",
    )  # fmt: skip
    thought = first(
        usage, "completion_tokens_details", "output_tokens_details", "output_token_details"
    )
    if (
        len(
            {usage[name] for name in ("cached_tokens",) if name in usage}
            | {details[name] for name in ("cached_tokens",) if name in details}
        )
        > 1
    ):
        raise BadRecordError("two spellings of the cache differ")
    read = said(
        details.get("cached_tokens"), usage.get("prompt_cache_hit_tokens"),
        usage.get("cached_tokens"), usage.get("num_cached_tokens"),
    )  # fmt: skip
    write = said(
        details.get("cache_write_tokens"), details.get("cache_creation_tokens"),
        details.get("cache_creation_input_tokens"),
    )  # fmt: skip
    sent, total, whole = count(sent), count(usage.get("total_tokens")), count(answered)
    if sent is not None and total == added(sent, whole, count(read)) and (count(read) or 0) > sent:
        sent = added(sent, count(read))
    reasoning = count(said(thought.get("reasoning_tokens"), usage.get("reasoning_tokens")))
    outside = (total or 0) - (sent or 0) - (whole or 0)
    if whole is not None and reasoning is not None and outside == 0 and reasoning > whole:
        # Perplexity's total leaves out what was thought and what was cited.
        whole += reasoning + (count(usage.get("citation_tokens")) or 0)
    if whole is not None and outside > 0 and outside == reasoning:
        whole += outside
    elif whole is not None and outside > 0 and reasoning is None and sent is not None:
        whole, reasoning = whole + outside, outside  # what was thought is hidden in the total
    if whole is None and sent is not None and total == sent:
        whole = 0
    return {
        "input": sent,
        "read": count(read),
        "write": 0 if write is None and details else count(write),
        "output": whole,
        "reasoning": reasoning,
    }


def said(*values: Any) -> Any:
    """The first value that is told."""
    return next((value for value in values if value is not None), None)


def first(record: Record, *names: str) -> Record:
    """The first of these that is an object; {} where none is."""
    return next((found for name in names if isinstance(found := record.get(name), dict)), {})


def openai_chat(path: Path) -> Iterator[Row]:
    """Completions, or chunks of them: the last whole usage of each id."""
    found: dict[str, Row] = {}
    for number, record in enumerate(
        events(path) if path.suffix in (".sse", ".txt", ".jsonl") else records(path)
    ):
        usage = said(
            record.get("usage"), at(record, "x_groq", "usage"),
            next(iter(each.get("usage") for each in record.get("choices") or () if each), None),
        )  # fmt: skip
        is_chunk = record.get("object") == "chat.completion.chunk"
        key = record.get("id") or (str(path) if is_chunk else (path, number))
        place = {"key": key, "at": record.get("created"), "model": record.get("model") or ""}
        if not {"choices", "tokens_predicted", "data"} & record.keys():
            continue
        try:
            counts = openai_usage({**usage, **_of_server(record)}) if usage else _of_server(record)
            row = Row(**place, **counts)
        except BadRecordError:
            found.pop(key, None)
            continue
        if counts or key not in found:
            found[key] = row
    yield from found.values()


def _of_server(record: Record) -> Counts:
    """What llama-server says beside the usage: its prompt leaves out what was cached."""
    timings = record.get("timings")
    if not timings:
        return {}
    if "usage" in record:
        cached = timings.get("cache_n", 0)
        sent = timings["prompt_n"] + cached
        total = sent + timings["predicted_n"]
        return {"prompt_tokens": sent, "cached_tokens": cached, "total_tokens": total}
    return {"input": record["tokens_evaluated"], "output": record["tokens_predicted"]}


def openai_responses(path: Path) -> Iterator[Row]:
    """Responses as they were polled, streamed or spoken: the last state of each."""
    for record in events(path) if path.suffix != ".json" else records(path):
        response = record.get("response") or record
        if not response.get("id") or "status" not in response:
            continue
        state = response["status"]
        status = "ok" if state in _OK else "error" if state == "failed" else "pending"
        usage = response.get("usage")
        yield Row(
            key=response["id"], at=str(response.get("created_at", "")), status=status,
            session=at(response, "conversation", "id") or "", provider="openai",
            model=response.get("model") or "", **(openai_usage(usage) if usage else {}),
        )  # fmt: skip


def openai_batch(path: Path) -> Iterator[Row]:
    """Result lines of a batch, each with a body of one of the kinds above."""
    for record in records(path):
        body = at(record, "response", "body") or {}
        failed = record.get("error") or body.get("error") or not body
        usage = body.get("usage")
        try:
            counts = openai_usage(usage) if usage else {}
        except BadRecordError:
            continue
        yield Row(
            key=body.get("id") or record["id"], status="error" if failed else "ok",
            provider="openai", model=body.get("model") or "", **counts,
        )  # fmt: skip


def anthropic_batch(path: Path) -> Iterator[Row]:
    """Result lines of a batch."""
    for record in records(path):
        message = at(record, "result", "message")
        if message:
            counts = anthropic_usage(message["usage"])
            yield Row(key=message["id"], provider="anthropic", model=message["model"], **counts)
        else:
            yield Row(key=("batch", record["custom_id"]), status="error", provider="anthropic")


def converse_usage(usage: Record) -> Counts:
    """Input besides caches, under two spellings that must not differ."""
    read = _same(usage, "cacheReadInputTokens", "cacheReadInputTokenCount")
    write = _same(usage, "cacheWriteInputTokens", "cacheWriteInputTokenCount")
    sent = added(_same(usage, "inputTokens", "inputTokenCount"), read, write)
    return {
        "input": sent, "read": read, "write": write,
        "output": _same(usage, "outputTokens", "outputTokenCount"),
    }  # fmt: skip


def _same(usage: Record, *names: str) -> int | None:
    values = {count(usage[name]) for name in names if usage.get(name) is not None}
    if len(values) > 1:
        raise BadRecordError(f"{names} differ")
    return next(iter(values), None)


def bedrock_converse(path: Path) -> Iterator[Row]:
    """One answer, whole or as its events."""
    for number, record in enumerate(records(path)):
        usage = record.get("usage") or at(record, "metadata", "usage")
        if usage:
            key = at(record, "ResponseMetadata", "RequestId") or (path, number)
            yield Row(key=key, **converse_usage(usage))


def bedrock_invocation(path: Path) -> Iterator[Row]:
    """Log lines; caches may be told by the body alone."""
    for record in records(path):
        sent, answered = record.get("input") or {}, record.get("output") or {}
        body = answered.get("outputBodyJson")
        try:
            counts = _of_body(body if isinstance(body, list) else [body or {}])
            told = converse_usage(
                {
                    **sent,
                    "outputTokenCount": answered.get("outputTokenCount"),
                }
            )
            # The log's own counts, except the caches that the body alone tells.
            cached = added(counts.get("read"), counts.get("write"))
            if told["read"] is None and cached:
                told |= {
                    "read": counts["read"], "write": counts["write"],
                    "input": added(told["input"], cached),
                }  # fmt: skip
            elif told["read"] is None and counts:
                told |= {name: counts.get(name) for name in ("read", "write")}
            yield Row(
                key=record["requestId"], status="error" if record.get("errorCode") else "ok",
                model=record.get("modelId") or "", **told,
            )  # fmt: skip
        except BadRecordError:
            continue


def _of_body(pieces: Iterable[Any]) -> Counts:
    usage: Record = {}
    is_message = False
    for piece in pieces:
        found = said(
            at(piece, "message", "usage"), at(piece, "usage"), at(piece, "metadata", "usage")
        )
        if found:
            usage.update(found)
            is_message |= "input_tokens" in found or "output_tokens" in found
    if not usage:
        return {}
    if is_message:
        return {name: anthropic_usage(usage)[name] for name in ("input", "read", "write", "output")}
    return converse_usage(usage)


def gemini_usage(usage: Record) -> Counts:
    """Candidates besides thoughts; where the total is greater, what is missing was thought."""
    told = {name: count(value) for name, value in usage.items() if name.endswith("TokenCount")}
    sent = added(told.get("promptTokenCount"), told.get("toolUsePromptTokenCount"))
    thoughts = told.get("thoughtsTokenCount")
    answered = added(told.get("candidatesTokenCount"), thoughts)
    total = told.get("totalTokenCount")
    if total is not None and sent is not None and total > sent + (answered or 0) and not thoughts:
        thoughts = total - sent - (answered or 0)
        answered = (answered or 0) + thoughts
    return {
        "input": sent,
        "read": told.get("cachedContentTokenCount", 0),
        "write": 0,
        "output": 0 if answered is None and total == sent else answered,
        "reasoning": thoughts,
    }


def gemini_api(path: Path) -> Iterator[Row]:
    """Answers, or chunks that each tell all so far."""
    found: dict[Any, Row] = {}
    for number, record in enumerate(events(path) if path.suffix != ".json" else records(path)):
        if record.get("error"):
            found[path, number] = Row(key=(path, number), status="error", provider="google")
            continue
        usage = record.get("usageMetadata")
        key = record.get("responseId") or str(path)
        if usage is None:
            continue
        try:
            counts = gemini_usage(usage)
        except BadRecordError:
            continue
        found[key] = Row(
            key=key, provider="google", model=record.get("modelVersion") or "", **counts
        )
    yield from found.values()


def vertex_log(path: Path) -> Iterator[Row]:
    """Rows of the request log, with a body of Gemini or of Claude, maybe in pieces."""
    for record in records(path):
        if len(record.get("logging_time") or "") < len("2026-04-07 08:00"):
            continue
        body = record.get("full_response")
        answer = inner(body[-1]) if isinstance(body, list) else inner(body)
        key = answer.get("responseId") or answer.get("id") or record["request_id"]
        model = (record.get("model") or "").rpartition("/")[2]
        usage = answer.get("usageMetadata") or answer.get("usage")
        counts = (
            {}
            if not usage
            else anthropic_usage(usage)
            if "input_tokens" in usage
            else gemini_usage(usage)
        )
        yield Row(key=key, model=model, status="error" if answer.get("error") else "ok", **counts)


def cohere(path: Path) -> Iterator[Row]:
    """What is billed, not what was read."""
    key = None
    for record in events(path) if path.suffix == ".sse" else records(path):
        told = at(record, "delta", "usage") or record.get("usage") or record.get("meta") or {}
        key = record.get("id") or record.get("response_id") or key
        billed = told.get("billed_units")
        if billed:
            yield Row(
                key=key, provider="cohere",
                input=added(count(billed.get("input_tokens")), count(billed.get("image_tokens"))),
                output=count(billed.get("output_tokens")),
            )  # fmt: skip


def dashscope(path: Path) -> Iterator[Row]:
    """Native answers; a stream's last event tells all."""
    for record in events(path) if path.suffix == ".sse" else records(path):
        usage = record.get("usage")
        failed = bool(record.get("code"))
        yield Row(
            key=record["request_id"], status="error" if failed else "ok",
            **(openai_usage(usage) if usage else {}),
        )  # fmt: skip
