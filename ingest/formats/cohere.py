"""Cohere's answers: chat, embed and rerank bodies of either interface, and chat streams."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

import msgspec

from ingest.formats import cohere_bodies
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
    Time,
    Unit,
)
from ingest.formats.body_reading import Reading, reading_of
from ingest.formats.cohere_bodies import Body
from ingest.formats.fields import Decoder, outcome_of, outcomes_of_stream
from ingest.formats.occurrences import Seen
from ingest.formats.streams import chunks

_EVENTS = {"message-start", "message-end", "content-delta"}


class Event(msgspec.Struct):
    """One event of a stream: its start names the answer, its end tells the usage."""

    type: str | None = None
    id: str | None = None
    delta: Body | None = None


_DECODER = Decoder(Event)


def recognise(sample: Sample) -> str:
    """Billed units, or the events of a stream."""
    for each in sample.objects:
        if cohere_bodies.fits(each):
            return "has billed_units"
        if str(each.get("type")) in _EVENTS:
            return "has the events of a Cohere stream"
    return ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each body and each streamed answer."""
    reading = reading_of(FORMAT.name, options, state)
    for item in items:
        if item.is_stream:
            yield from outcomes_of_stream(item, _answers, partial(_streamed, item, reading))
        else:
            yield outcome_of(item, partial(_body, reading))


def _body(reading: Reading, item: Item) -> Outcome:
    return cohere_bodies.read(item, reading)


def _answers(stream: bytes) -> list[tuple[int, Body]]:
    """The answers of a stream; a torn event is passed over."""
    answers: list[tuple[int, Body]] = []
    refusal = RejectedError("not_a_stream", "no message-start among the events")
    for line, chunk in chunks(stream):
        try:
            event = _DECODER.of(chunk)
        except RejectedError as error:
            refusal = error
            continue
        if event.type == "message-start":
            answers.append((line, Body(id=event.id)))
        elif event.type == "message-end" and answers and event.delta is not None:
            first, begun = answers[-1]
            answers[-1] = (first, msgspec.structs.replace(event.delta, id=begun.id))
    if not answers:
        raise refusal
    return answers


def _streamed(item: Item, reading: Reading, told: tuple[int, Body]) -> Outcome:
    line, body = told
    return cohere_bodies.outcome(body, replace(item, line=line), reading, is_stream=True)


FORMAT = Format(
    name="cohere",
    title="Cohere answers",
    unit=Unit.JSON,
    also=(Unit.SSE,),
    scope=Scope.FILE,
    convention=Convention.INCLUSIVE,
    key="id of the answer; without it the text and which of its equals in the file it is",
    where="bodies or streams of POST /v2/chat, /v2/embed and /v2/rerank (or /v1), kept by your own"
    " program or proxy; they name no model, so say which",
    source="Cohere's API reference; bodies recorded by pydantic",
    recognise=recognise,
    read=read,
    new_state=Seen,
    restamps=True,
    time=Time.ASSUMED,
    extensions=(".json", ".jsonl", ".sse", ".txt"),
)
