"""The results file of Anthropic's Message Batches API."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.usage import Identity, Use
from ingest.formats import message_bodies
from ingest.formats.anthropic_usage import WATCHED
from ingest.formats.base import (
    Convention,
    Counted,
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
from ingest.formats.body_reading import Reading, batched, reading_of
from ingest.formats.calls import counted
from ingest.formats.fields import NOTHING, Decoder, Exact, outcome_of, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.occurrences import Seen

#: Nobody answered these: the caller took the batch back, or it ran out of time.
_CALLERS_OWN = {"canceled", "invalid_request_error"}


class Error(msgspec.Struct):
    """An error, wrapped in a body of its own."""

    type: str | None = None
    error: "Error | None" = None

    @property
    def name(self) -> str:
        """The innermost type."""
        return self.error.name if self.error else self.type or ""


class Result(msgspec.Struct):
    """What one request came to."""

    type: str | None = None
    message: Exact = NOTHING
    error: Error | None = None


class Row(msgspec.Struct):
    """One request of the batch, in no particular order."""

    custom_id: str | None = None
    result: Result | None = None


_ROWS = Decoder(Row, WATCHED)


def recognise(sample: Sample) -> str:
    """A custom id beside a result with its type."""
    for each in sample.objects:
        result = each.get("result")
        if "custom_id" in each and isinstance(result, dict) and "type" in result:
            return "has custom_id and result.type"
    return "begins like a batch's results" if {"custom_id", "result"} <= sample.keys else ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each request of the batch."""
    reading = reading_of(FORMAT.name, options, state)
    for item in items:
        yield outcome_of(item, partial(_row, reading))


def _row(reading: Reading, item: Item) -> Outcome:
    row = _ROWS.decoded(item)
    result = row.result or Result()
    message = bytes(result.message)
    if result.type == "succeeded" and message.startswith(b"{"):
        told = message_bodies.read(replace(item, body=message), reading)
        return batched(told) if isinstance(told, Counted) else told
    error = text(result.error.name if result.error else result.type, "result.type")
    return counted(
        item,
        reading.options,
        # Inside a batch a custom id stands once.
        identity=Identity(fingerprint=fingerprint("batch", row.custom_id, result.type, error)),
        use=Use(
            source=reading.source,
            usage_state="missing",
            provider=provider_id(reading.options.provider or "anthropic"),
            request_model=reading.options.model,
            processing="batch",
            status="error",
            error_type=error,
            error_origin="client" if error in _CALLERS_OWN else "upstream",
        ),
        started_at=None,
    )


FORMAT = Format(
    name="anthropic_batch",
    title="Anthropic batch results",
    unit=Unit.JSON,
    scope=Scope.FILE,
    convention=Convention.DISJOINT,
    key="id of the message; of a request without answer custom_id and what became of it",
    where="the results file of a message batch (GET /v1/messages/batches/…/results)",
    source="anthropic-sdk-python's types",
    recognise=recognise,
    read=read,
    new_state=Seen,
    restamps=True,
    time=Time.ASSUMED,
)
