"""Cohere's answers: chat, embed and rerank bodies of either interface, and chat streams."""

from collections.abc import Iterator
from functools import partial

import msgspec

from ingest.formats import cohere_bodies
from ingest.formats.answers import Stream, answer_format
from ingest.formats.base import Convention, Sample
from ingest.formats.cohere_bodies import Body
from ingest.formats.fields import Decoder

_EVENTS = {"message-start", "message-end", "content-delta"}


class Event(msgspec.Struct):
    """One event of a stream: its start names the answer, its end tells the usage."""

    type: str | None = None
    id: str | None = None
    delta: Body | None = None


_STREAMED = Decoder(Event)


def recognise(sample: Sample) -> str:
    """Billed units, or the events of a stream."""
    for each in sample.objects:
        if cohere_bodies.fits(each):
            return "has billed_units"
        if str(each.get("type")) in _EVENTS:
            return "has the events of a Cohere stream"
    return ""


def _answers(events: Iterator[tuple[int, Event]]) -> list[tuple[int, Body]]:
    """The answers of a stream: what its end tells, under the id that its start gave."""
    answers: list[tuple[int, Body]] = []
    for line, event in events:
        if event.type == "message-start":
            answers.append((line, Body(id=event.id)))
        elif event.type == "message-end" and answers and event.delta is not None:
            first, begun = answers[-1]
            answers[-1] = (first, msgspec.structs.replace(event.delta, id=begun.id))
    return answers


FORMAT = answer_format(
    name="cohere",
    title="Cohere answers",
    body=cohere_bodies.read,
    stream=Stream(
        chunk=_STREAMED,
        answers=_answers,
        outcome=partial(cohere_bodies.outcome, is_stream=True),
        missing="no message-start among the events",
    ),
    recognise=recognise,
    convention=Convention.INCLUSIVE,
    key="id of the answer; without it the text and which of its equals in the file it is",
    where="bodies or streams of POST /v2/chat, /v2/embed and /v2/rerank (or /v1), kept by your own"
    " program or proxy; they name no model, so say which",
    source="Cohere's API reference; bodies recorded by pydantic",
    has_time=False,
)
