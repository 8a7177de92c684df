"""A streamed chat completion put together: each vendor puts its usage in another chunk."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from accounting.domain.errors import DomainError
from ingest.formats import chat_bodies
from ingest.formats.answers import Stream
from ingest.formats.base import Item, Outcome, RejectedError
from ingest.formats.body_reading import Reading
from ingest.formats.chat_bodies import Choice, Completion
from ingest.formats.openai_usage import state_of


@dataclass(slots=True, kw_only=True)
class Answer:
    """A streamed completion as far as its chunks tell it."""

    body: Completion
    best: Completion  # the chunk with the best usage so far
    finish_reason: str | None = None


def _answers(chunks: Iterator[tuple[int, Completion]]) -> Iterable[tuple[int, Answer]]:
    """The completions of a stream by their id."""
    answers: dict[str, tuple[int, Answer]] = {}
    for line, chunk in chunks:
        begun = (line, Answer(body=chunk, best=chunk))
        _follow(answers.setdefault(chunk.id or "", begun)[1], chunk)
    return answers.values()


def _follow(answer: Answer, chunk: Completion) -> None:
    if _is_better(chunk, answer.best):
        answer.best = chunk
    for choice in chunk.choices or ():
        answer.finish_reason = choice.finish_reason or answer.finish_reason
    answer.body.service_tier = chunk.service_tier or answer.body.service_tier
    answer.body.error = chunk.error or answer.body.error
    answer.body.timings = chunk.timings or answer.body.timings
    answer.body.x_groq = chunk.x_groq or answer.body.x_groq
    answer.body.provider = chunk.provider or answer.body.provider


def _is_better(chunk: Completion, earlier: Completion) -> bool:
    """Whether a later chunk says at least as much: some servers send empty usage after the good."""
    if chunk.reported is None:
        return False
    states = ("missing", "partial", "reported")
    return states.index(_state(chunk)) >= states.index(_state(earlier))


def _state(chunk: Completion) -> str:
    """How much of the usage a chunk reports; one that must be rejected is kept, to be rejected."""
    try:
        return state_of(chat_bodies.counts_in(chunk))
    except (RejectedError, DomainError):
        return "reported"


def _outcome(answer: Answer, item: Item, reading: Reading) -> Outcome:
    body, usage = answer.body, answer.best.reported
    body.choices = [Choice(finish_reason=answer.finish_reason)]
    body.usage = usage
    has_ended = answer.finish_reason is not None or usage is not None
    return chat_bodies.outcome(body, item, reading, is_stream=True, ended=has_ended)


STREAM = Stream(
    chunk=chat_bodies.DECODER,
    answers=_answers,
    outcome=_outcome,
    missing="no chat.completion.chunk in it",
)
