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
    Sample,
    Scope,
    State,
    Time,
    Unit,
)
from ingest.formats.body_reading import Reading
from ingest.formats.converse_bodies import Body
from ingest.formats.fields import json_of, outcome_of
from ingest.formats.occurrences import Seen
from ingest.formats.streams import chunks


def recognise(sample: Sample) -> str:
    """Usage in Converse's words beside a stop reason or an output, or the events of its stream."""
    for each in sample.objects:
        usage = each.get("usage")
        if isinstance(usage, dict) and "inputTokens" in usage and {"output", "stopReason"} & set(each):
            return "has answers with usage.inputTokens"
        if isinstance(each.get("messageStart"), dict) or isinstance(each.get("messageStop"), dict):
            return "has the events of a Converse stream"
    names = {"stopReason", "output", "metrics"}
    return "begins like an answer of Converse's" if names <= sample.keys else ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each body and each stream."""
    assert isinstance(state, Seen)
    reading = Reading(source=FORMAT.name, options=options, seen=state)
    for item in items:
        yield outcome_of(item, partial(_streamed if item.is_stream else _body, reading))


def _body(reading: Reading, item: Item) -> Outcome:
    return converse_bodies.read(item, reading)


def _streamed(reading: Reading, item: Item) -> Outcome:
    events = b",".join(chunk for _, chunk in chunks(json_of(item)))
    return converse_bodies.outcome(b"[%s]" % events, Body(), item, reading, is_stream=True)


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
