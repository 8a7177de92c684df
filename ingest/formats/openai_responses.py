"""OpenAI's responses: bodies (also polled ones, that repeat an id) and streams of events."""

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from ingest.formats import response_bodies
from ingest.formats.answers import Stream, answer_format
from ingest.formats.base import Convention, Sample
from ingest.formats.fields import Decoder
from ingest.formats.openai_usage import WATCHED
from ingest.formats.response_bodies import STATUSES, Response


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


def _responses(events: Iterator[tuple[int, Event]]) -> Iterable[tuple[int, Response]]:
    """The last state of each response in a stream, with the line where it began."""
    found: dict[str | None, tuple[int, Response]] = {}
    for line, event in events:
        if event.response is not None:
            first, _ = found.get(event.response.id, (line, None))
            found[event.response.id] = (first, event.response)
    for _, body in found.values():
        # A stream that stops before its last event was cut off: nobody is still working on it.
        if STATUSES.get(body.status or "") == "pending":
            body.status = "cancelled"
    return found.values()


FORMAT = answer_format(
    name="openai_responses",
    title="OpenAI responses",
    body=response_bodies.read,
    stream=Stream(
        chunk=_EVENTS,
        answers=_responses,
        outcome=partial(response_bodies.outcome, is_stream=True),
        missing="no event carries a response",
    ),
    recognise=recognise,
    convention=Convention.INCLUSIVE,
    key="id of the response; without it the text and which of its equals in the file it is",
    where="bodies or streams of POST /v1/responses, kept by your own program or proxy",
    source="openai-openapi; bodies recorded by vercel/ai",
)
