"""Amazon Bedrock's Converse: answer bodies, and streams of events a line each."""

from collections.abc import Iterable, Iterator
from functools import partial

from ingest.formats import converse_bodies
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
from ingest.formats.converse_bodies import Body
from ingest.formats.fields import Decoder, json_of, outcome_of
from ingest.formats.occurrences import Seen
from ingest.formats.streams import chunks

_EVENTS: Decoder[dict[str, object]] = Decoder(dict[str, object])


def recognise(sample: Sample) -> str:
    """Usage in Converse's words beside a stop reason or an output, or the events of its stream."""
    for each in sample.objects:
        usage = each.get("usage")
        if (
            isinstance(usage, dict)
            and "inputTokens" in usage
            and {"output", "stopReason"} & set(each)
        ):
            return "has answers with usage.inputTokens"
        if isinstance(each.get("messageStart"), dict) or isinstance(each.get("messageStop"), dict):
            return "has the events of a Converse stream"
    fits = "output" in sample.keys and {"ResponseMetadata", "stopReason"} & sample.keys
    return "begins like an answer of Converse's" if fits else ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each body and each stream."""
    reading = reading_of(FORMAT.name, options, state)
    for item in items:
        yield outcome_of(item, partial(_streamed if item.is_stream else _body, reading))


def _body(reading: Reading, item: Item) -> Outcome:
    return converse_bodies.read(item, reading)


def _streamed(reading: Reading, item: Item) -> Outcome:
    events = b",".join(chunk for _, chunk in chunks(json_of(item)) if _is_whole(chunk))
    return converse_bodies.outcome(b"[%s]" % events, Body(), item, reading, is_stream=True)


def _is_whole(chunk: bytes) -> bool:
    """Whether an event can be read; a torn one is passed over."""
    try:
        _EVENTS.of(chunk)
    except RejectedError:
        return False
    return True


FORMAT = Format(
    name="bedrock_converse",
    title="Amazon Bedrock Converse",
    unit=Unit.JSON,
    also=(Unit.SSE,),
    scope=Scope.FILE,
    convention=Convention.DISJOINT,
    key="ResponseMetadata.RequestId; without it the text and which of its equals in the file it is",
    where="what boto3's converse returns, or the events of converse_stream a line each; it names no"
    " model, so say which",
    source="AWS's documentation; bodies recorded by vercel/ai and pydantic",
    recognise=recognise,
    read=read,
    new_state=Seen,
    restamps=True,
    time=Time.ASSUMED,
)
