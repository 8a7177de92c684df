"""OpenAI's chat completions, of OpenAI or a compatible server: bodies and streams of chunks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from accounting.domain.errors import DomainError
from ingest.formats import chat_bodies
from ingest.formats.base import (
    Convention,
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
from ingest.formats.body_reading import Reading, reading_of
from ingest.formats.chat_bodies import Choice, Completion
from ingest.formats.fields import outcome_of, outcomes_of_stream
from ingest.formats.occurrences import Seen
from ingest.formats.openai_usage import state_of
from ingest.formats.streams import chunks

_OBJECTS = {"chat.completion", "chat.completion.chunk", "text_completion"}


@dataclass(slots=True, kw_only=True)
class _Answer:
    """A streamed completion as far as its chunks tell it."""

    line: int
    body: Completion
    best: Completion  # the chunk with the best usage so far
    finish_reason: str | None = None


def recognise(sample: Sample) -> str:
    """The object says so, or prompt tokens stand beside choices, embeddings or timings."""
    for each in sample.objects:
        usage, timings = each.get("usage"), each.get("timings")
        if str(each.get("object")) in _OBJECTS:
            return f"has {each['object']} objects"
        if isinstance(usage, dict) and "prompt_tokens" in usage and {"choices", "data"} & set(each):
            return "has answers with usage.prompt_tokens"
        if isinstance(timings, dict) and "predicted_n" in timings:
            return "has llama-server's timings"
    return "begins like a chat completion" if {"choices", "created"} <= sample.keys else ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each body and each streamed completion."""
    reading = reading_of(FORMAT.name, options, state)
    for item in items:
        if item.is_stream:
            yield from outcomes_of_stream(item, _answers, partial(_outcome, item, reading))
        else:
            yield outcome_of(item, partial(_body, reading))


def _body(reading: Reading, item: Item) -> Outcome:
    return chat_bodies.read(item, reading)


def _answers(stream: bytes) -> list[_Answer]:
    """The completions of a stream by their id; a torn chunk is passed over."""
    answers: dict[str, _Answer] = {}
    refusal = RejectedError("not_a_stream", "no chat.completion.chunk in it")
    for line, chunk in chunks(stream):
        try:
            body = chat_bodies.DECODER.of(chunk)
        except RejectedError as error:
            refusal = error
            continue
        answer = answers.setdefault(body.id or "", _Answer(line=line, body=body, best=body))
        if _is_better(body, answer.best):
            answer.best = body
        for choice in body.choices or ():
            answer.finish_reason = choice.finish_reason or answer.finish_reason
        answer.body.service_tier = body.service_tier or answer.body.service_tier
        answer.body.error = body.error or answer.body.error
        answer.body.timings = body.timings or answer.body.timings
        answer.body.x_groq = body.x_groq or answer.body.x_groq
        answer.body.provider = body.provider or answer.body.provider
    if not answers:
        raise refusal
    return list(answers.values())


def _is_better(body: Completion, earlier: Completion) -> bool:
    """Whether a later chunk says at least as much: some servers send empty usage after the good."""
    if body.reported is None:
        return False
    states = ("missing", "partial", "reported")
    return states.index(_state(body)) >= states.index(_state(earlier))


def _state(body: Completion) -> str:
    """How much of the usage a chunk reports; one that must be rejected is kept, to be rejected."""
    try:
        return state_of(chat_bodies.counts_in(body))
    except (RejectedError, DomainError):
        return "reported"


def _outcome(item: Item, reading: Reading, answer: _Answer) -> Outcome:
    body, usage = answer.body, answer.best.reported
    body.choices = [Choice(finish_reason=answer.finish_reason)]
    body.usage = usage
    return chat_bodies.outcome(
        body,
        replace(item, line=answer.line),
        reading,
        is_stream=True,
        ended=answer.finish_reason is not None or usage is not None,
    )


FORMAT = Format(
    name="openai_chat",
    title="OpenAI chat completions",
    unit=Unit.JSON,
    also=(Unit.SSE,),
    scope=Scope.FILE,
    convention=Convention.INCLUSIVE,
    key="id of the completion; without it the text and which of its equals in the file it is",
    where="bodies or streams of POST /v1/chat/completions, /v1/completions or /v1/embeddings of OpenAI"
    " or any compatible server, kept by your own program or proxy",
    source="openai-openapi; the vendors' documentation; answers of compatible servers in their tests",
    recognise=recognise,
    read=read,
    new_state=Seen,
    extensions=(".json", ".jsonl", ".sse", ".txt"),
)
