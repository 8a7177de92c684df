"""One trace as Langfuse's page downloads it, with its observations inside."""

from collections.abc import Iterator

import msgspec

from ingest.formats.base import Convention, Format, Item, Options, Outcome, Sample, Scope, Unit
from ingest.formats.fields import Decoder, json_of, text
from ingest.formats.labels import checked_tags, tags_of_words
from ingest.formats.langfuse_rows import observation_of, outcome_of_observation
from ingest.formats.messages_within import each_message


class Trace(msgspec.Struct, rename="camel"):
    """What the trace says of all its observations."""

    id: str | None = None
    session_id: str | None = None
    user_id: str | None = None
    environment: str | None = None
    tags: list[str] | None = None
    observations: list[msgspec.Raw] | None = None


class Document(msgspec.Struct):
    """A download: the trace beside its observations; the API puts them inside the trace."""

    trace: Trace | None = None
    observations: list[msgspec.Raw] | None = None


_DOCUMENTS = Decoder(Document)
_TRACES = Decoder(Trace)
_NAMES = {"trace", "observations"}


def recognise(sample: Sample) -> str:
    """A trace beside or around observations with usageDetails."""
    for each in sample.objects:
        inside = each.get("observations")
        first = inside[0] if isinstance(inside, list) and inside else None
        if isinstance(first, dict) and {"traceId", "type", "startTime"} <= first.keys():
            return "has a trace with observations"
    fits = sample.keys >= _NAMES or ("trace" in sample.keys and '"projectId"' in sample.text)
    return "begins like a trace with its observations" if fits else ""


def _observations(item: Item) -> Iterator[tuple[Trace, msgspec.Raw]]:
    document = _DOCUMENTS.decoded(item)
    trace = document.trace or _TRACES.decoded(item)
    for each in document.observations or trace.observations or ():
        yield trace, each


def _observation(options: Options, trace: Trace, item: Item) -> Outcome:
    row = observation_of(json_of(item))
    return outcome_of_observation(
        row,
        item,
        options,
        source=FORMAT.name,
        session_id=text(trace.session_id, "sessionId"),
        user_id=text(trace.user_id, "userId"),
        environment=text(trace.environment, "environment"),
        tags=checked_tags(tags_of_words(trace.tags or (), "tags")),
    )


FORMAT = Format(
    name="langfuse_trace",
    title="Langfuse trace",
    unit=Unit.DOCUMENT,
    scope=Scope.RECORD,
    convention=Convention.DISJOINT,
    key="trace id and id of the observation",
    where="a trace's page, Download trace as JSON; GET /api/public/traces/…",
    source="langfuse/langfuse: traces kept in its worker's tests",
    recognise=recognise,
    read=each_message(_observations, _observation),
    extensions=(".json",),
)
