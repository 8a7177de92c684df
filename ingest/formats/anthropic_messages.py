"""Anthropic's Messages API: answer bodies, error bodies, and streams of events."""

from ingest.formats import message_bodies
from ingest.formats.answers import answer_format
from ingest.formats.anthropic_streams import Answer
from ingest.formats.base import Convention, Item, Outcome, Sample, Skipped
from ingest.formats.body_reading import Reading


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


def _body(item: Item, reading: Reading) -> Outcome:
    body = message_bodies.DECODER.decoded(item)
    if body.type not in {"message", "error"}:
        return Skipped(line=item.line)
    answer = Answer(body=body, usage=body.usage, is_stream=False)
    return message_bodies.outcome(answer, item, reading)


FORMAT = answer_format(
    name="anthropic_messages",
    title="Anthropic messages",
    body=_body,
    stream=message_bodies.STREAM,
    recognise=recognise,
    convention=Convention.DISJOINT,
    key="id of the message; of an error request_id, else its text and which of its equals it is",
    where="bodies or event streams of POST /v1/messages, kept by your own program or proxy",
    source="anthropic-sdk-python's types; streams recorded by vercel/ai",
    has_time=False,
)
