"""OpenAI's chat completions, of OpenAI or a compatible server: bodies and streams of chunks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.usage import NOTHING_REPORTED, Identity, Place, UsageRecord, Use
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
    Skipped,
    State,
    Unit,
)
from ingest.formats.fields import Decoder, json_of, outcome_of, outcomes_of_stream, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import (
    WATCHED,
    Error,
    Usage,
    counts_of,
    maker_of,
    state_of,
    warnings_of,
)
from ingest.formats.streams import chunks

_OBJECTS = {"chat.completion", "chat.completion.chunk"}


class Choice(msgspec.Struct):
    """One of the answers."""

    finish_reason: str | None = None


class Completion(msgspec.Struct):
    """A completion, or a chunk of one: usage stands in the last chunk that has any."""

    id: str | None = None
    object: str | None = None
    created: Moment = None
    model: str | None = None
    service_tier: str | None = None
    choices: list[Choice] | None = None
    usage: Usage | None = None
    user: str | None = None
    error: Error | None = None


@dataclass(slots=True, kw_only=True)
class _Answer:
    """A completion as far as its body or its chunks tell it; digest: of a text without an id."""

    line: int
    body: Completion
    digest: bytes = b""
    finish_reason: str | None = None
    is_stream: bool = False


_DECODER = Decoder(Completion, WATCHED)


def recognise(sample: Sample) -> str:
    """The object says so, or choices stand beside prompt tokens."""
    for each in sample.objects:
        usage = each.get("usage")
        if each.get("object") in _OBJECTS:
            return f"has {each['object']} objects"
        if "choices" in each and isinstance(usage, dict) and "prompt_tokens" in usage:
            return "has choices and usage.prompt_tokens"
    return "begins like a chat completion" if {"choices", "created"} <= sample.keys else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each body and each streamed completion."""
    for item in items:
        if item.is_stream:
            yield from outcomes_of_stream(item, _answers, partial(_outcome, options))
        else:
            yield outcome_of(item, partial(_body, options))


def _body(options: Options, item: Item) -> Outcome:
    body = _DECODER.decoded(item)
    if body.usage is None and body.choices is None and body.error is None:
        return Skipped(line=item.line)
    digest = b"" if body.id else fingerprint(json_of(item).decode())
    return _outcome(options, _Answer(line=item.line, body=body, digest=digest))


def _answers(stream: bytes) -> list[_Answer]:
    """The completions of a stream by their id; a torn chunk is passed over."""
    answers: dict[str, _Answer] = {}
    refusal = RejectedError("not_a_stream", "no chat.completion.chunk in it")
    for line, chunk in chunks(stream):
        try:
            body = _DECODER.of(chunk)
        except RejectedError as error:
            refusal = error
            continue
        answer = answers.setdefault(body.id or "", _Answer(line=line, body=body, is_stream=True))
        if body.usage is not None and _is_better(body.usage, answer.body.usage):
            answer.body.usage = body.usage
        for choice in body.choices or ():
            answer.finish_reason = choice.finish_reason or answer.finish_reason
        answer.body.service_tier = body.service_tier or answer.body.service_tier
        answer.body.error = body.error or answer.body.error
    if not answers:
        raise refusal
    if "" in answers:
        answers[""].digest = fingerprint(stream.decode("utf-8", "replace"))
    return list(answers.values())


def _is_better(usage: Usage, earlier: Usage | None) -> bool:
    """Whether a later usage says at least as much: some servers send empty ones after the good."""
    if earlier is None:
        return True
    states = (None, "missing", "partial", "reported")
    return states.index(state_of(counts_of(usage))) >= states.index(state_of(counts_of(earlier)))


def _outcome(options: Options, answer: _Answer) -> Outcome:
    body = answer.body
    counts = NOTHING_REPORTED if body.usage is None else counts_of(body.usage)
    for choice in body.choices or ():
        answer.finish_reason = answer.finish_reason or choice.finish_reason
    status = "ok"
    if body.error is not None:
        status = "error"
    elif answer.is_stream and answer.finish_reason is None and body.usage is None:
        status = "cancelled"
    model = text(body.model, "model")
    started_at = moment(body.created, "created")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider=provider_id(options.provider) or maker_of(model),
        request_model=model or options.model,
        response_model=model,
        service_tier=text(body.service_tier, "service_tier", 40),
        status=status,
        error_type=text(body.error.name, "error.type") if body.error else "",
        error_origin="upstream" if body.error else "",
        finish_reason=text(answer.finish_reason, "finish_reason", 80),
        is_stream=answer.is_stream,
    )
    place = Place(
        started_at=started_at or options.assumed_time,
        user_id=text(body.user, "user") or options.user_id,
        time_quality="second" if started_at else "assumed",
        line=answer.line,
    )
    identity = Identity(response_id=text(body.id, "id"), fingerprint=answer.digest)
    record = UsageRecord(identity=identity, use=use, place=place, restamps=started_at is None)
    warnings = warnings_of(body.usage, counts) if body.usage else ()
    return Counted(line=answer.line, records=(record,), warnings=warnings)


FORMAT = Format(
    name="openai_chat",
    title="OpenAI chat completions",
    unit=Unit.JSON,
    also=(Unit.SSE,),
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="id of the completion; without it the text",
    where="bodies or streams of POST /v1/chat/completions, kept by your own program or proxy",
    source="openai-openapi; streams of compatible servers in their own tests",
    recognise=recognise,
    read=read,
    extensions=(".json", ".jsonl", ".sse", ".txt"),
)
