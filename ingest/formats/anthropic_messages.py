"""Anthropic's Messages API: answer bodies, error bodies, and streams of events."""

from collections.abc import Iterable, Iterator
from functools import partial

from ingest.formats import message_bodies
from ingest.formats.anthropic_streams import Answer, answers_of
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
    Time,
    Unit,
)
from ingest.formats.body_reading import Reading, reading_of
from ingest.formats.fields import outcome_of, outcomes_of_stream
from ingest.formats.occurrences import Seen


def recognise(sample: Sample) -> str:
    """Messages with usage, the API's errors, or the events of its streams."""
    for each in sample.objects:
        kind = str(each.get("type"))
        if kind == "message" and "usage" in each:
            return "has messages with usage"
        if kind == "error" and isinstance(each.get("error"), dict):
            return "has the API's errors"
        if kind in {"message_start", "message_delta"}:
            return "has the events of a message stream"
    fits = {"role", "content", "model", "type"} <= sample.keys
    return "begins like a message" if fits else ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each body and each streamed message."""
    reading = reading_of(FORMAT.name, options, state)
    for item in items:
        if item.is_stream:
            yield from outcomes_of_stream(item, answers_of, partial(_streamed, item, reading))
        else:
            yield outcome_of(item, partial(_body, reading))


def _body(reading: Reading, item: Item) -> Outcome:
    body = message_bodies.DECODER.decoded(item)
    if body.type not in {"message", "error"}:
        return Skipped(line=item.line)
    answer = Answer(line=item.line, body=body, usage=body.usage, is_stream=False)
    return message_bodies.outcome(answer, item, reading)


def _streamed(item: Item, reading: Reading, answer: Answer) -> Outcome:
    return message_bodies.outcome(answer, item, reading)


FORMAT = Format(
    name="anthropic_messages",
    title="Anthropic messages",
    unit=Unit.JSON,
    also=(Unit.SSE,),
    scope=Scope.FILE,
    convention=Convention.DISJOINT,
    key="id of the message; of an error request_id, else its text and which of its equals it is",
    where="bodies or event streams of POST /v1/messages, kept by your own program or proxy",
    source="anthropic-sdk-python's types; streams recorded by vercel/ai",
    recognise=recognise,
    read=read,
    new_state=Seen,
    restamps=True,
    time=Time.ASSUMED,
    extensions=(".json", ".jsonl", ".sse", ".txt"),
)
