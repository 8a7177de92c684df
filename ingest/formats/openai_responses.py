"""OpenAI's responses: bodies (also polled ones, that repeat an id) and streams of events."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

import msgspec

from ingest.formats import response_bodies
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
from ingest.formats.fields import Decoder, outcome_of, outcomes_of_stream
from ingest.formats.occurrences import Seen
from ingest.formats.openai_usage import WATCHED
from ingest.formats.response_bodies import STATUSES, Response
from ingest.formats.streams import chunks


class Event(msgspec.Struct):
    """One event of a stream; the events of a response's life carry the whole response."""

    type: str | None = None
    response: Response | None = None


_EVENTS = Decoder(Event, WATCHED)


def recognise(sample: Sample) -> str:
    """The object says so, or the events of a response's life stand in it."""
    for each in sample.objects:
        kind = str(each.get("type", ""))
        if each.get("object") == "response":
            return "has response objects"
        if kind.startswith("response.") and isinstance(each.get("response"), dict):
            return "has the events of a response stream"
    told_apart = {"output", "incomplete_details", "max_output_tokens", "parallel_tool_calls"}
    fits = {"created_at", "object"} <= sample.keys and told_apart & sample.keys
    return "begins like a response" if fits else ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each body and each streamed response."""
    reading = reading_of(FORMAT.name, options, state)
    for item in items:
        if item.is_stream:
            yield from outcomes_of_stream(item, _responses, partial(_outcome, item, reading))
        else:
            yield outcome_of(item, partial(_body, reading))


def _body(reading: Reading, item: Item) -> Outcome:
    return response_bodies.read(item, reading)


def _responses(stream: bytes) -> list[tuple[int, Response]]:
    """The last state of each response in a stream, with the line where it began."""
    found: dict[str | None, tuple[int, Response]] = {}
    refusal = RejectedError("not_a_stream", "no event carries a response")
    for line, chunk in chunks(stream):
        try:
            body = _EVENTS.of(chunk).response
        except RejectedError as error:
            refusal = error
            continue
        if body is not None:
            first, _ = found.get(body.id, (line, None))
            found[body.id] = (first, body)
    if not found:
        raise refusal
    for _, body in found.values():
        # A stream that stops before its last event was cut off: nobody is still working on it.
        if STATUSES.get(body.status or "") == "pending":
            body.status = "cancelled"
    return list(found.values())


def _outcome(item: Item, reading: Reading, told: tuple[int, Response]) -> Outcome:
    line, body = told
    return response_bodies.outcome(body, replace(item, line=line), reading, is_stream=True)


FORMAT = Format(
    name="openai_responses",
    title="OpenAI responses",
    unit=Unit.JSON,
    also=(Unit.SSE,),
    scope=Scope.FILE,
    convention=Convention.INCLUSIVE,
    key="id of the response; without it the text and which of its equals in the file it is",
    where="bodies or streams of POST /v1/responses, kept by your own program or proxy",
    source="openai-openapi; bodies recorded by vercel/ai",
    recognise=recognise,
    read=read,
    new_state=Seen,
    extensions=(".json", ".jsonl", ".sse", ".txt"),
)
