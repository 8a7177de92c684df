"""A streamed Anthropic message put together: counts are cumulative, the last of each field wins."""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from ingest.formats.anthropic_usage import WATCHED, Usage
from ingest.formats.fields import Decoder


class Error(msgspec.Struct):
    """Why a request failed."""

    type: str | None = None


class Body(msgspec.Struct):
    """An answer, or an error in place of one."""

    id: str | None = None
    type: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    usage: Usage | None = None
    error: Error | None = None
    request_id: str | None = None


class Event(msgspec.Struct):
    """One event. A message_delta's usage may revise what message_start said."""

    type: str | None = None
    message: Body | None = None
    delta: Body | None = None
    usage: Usage | None = None
    error: Error | None = None


@dataclass(slots=True, kw_only=True)
class Answer:
    """One answer, as far as its body or its stream tells it."""

    body: Body
    usage: Usage | None
    has_ended: bool = True
    is_stream: bool = True


EVENTS = Decoder(Event, WATCHED)


def answers_of(events: Iterator[tuple[int, Event]]) -> list[tuple[int, Answer]]:
    """The messages of a stream, each with the line where it begins."""
    answers: list[tuple[int, Answer]] = []
    for line, event in events:
        if event.type == "message_start" and event.message is not None:
            _begin(answers, event.message, line)
        elif event.type == "error" and not answers:
            answers.append((line, Answer(body=Body(error=event.error), usage=None)))
        elif answers:
            _follow(answers[-1][1], event)
    return answers


def _begin(answers: list[tuple[int, Answer]], message: Body, line: int) -> None:
    """Starts another message, unless the same one is announced again."""
    last = answers[-1][1] if answers else None
    if last is None or last.body.id != message.id:
        answers.append((line, Answer(body=message, usage=message.usage, has_ended=False)))
    elif message.usage is not None:
        last.usage = _laid_over(last.usage, message.usage)


def _follow(answer: Answer, event: Event) -> None:
    if event.usage is not None:
        answer.usage = _laid_over(answer.usage, event.usage)
    if event.delta is not None and event.delta.stop_reason is not None:
        answer.body.stop_reason = event.delta.stop_reason
    if event.error is not None:
        answer.body.error = event.error
    answer.has_ended |= event.type == "message_stop" or answer.body.stop_reason is not None


def _laid_over(usage: Usage | None, later: Usage) -> Usage:
    if usage is None:
        return later
    for name in Usage.__struct_fields__:
        value = getattr(later, name)
        if value is not None:
            setattr(usage, name, value)
    return usage
