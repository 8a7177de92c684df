"""The results file of Anthropic's Message Batches API."""

import msgspec

from accounting.domain.usage import Identity
from ingest.formats import message_bodies
from ingest.formats.answers import answer_format
from ingest.formats.anthropic_usage import WATCHED
from ingest.formats.base import Convention, Item, Outcome, Sample
from ingest.formats.batches import answered, unanswered
from ingest.formats.body_reading import Reading
from ingest.formats.fields import NOTHING, Decoder, Exact, text
from ingest.formats.fingerprints import fingerprint

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


def _row(item: Item, reading: Reading) -> Outcome:
    row = _ROWS.decoded(item)
    result = row.result or Result()
    message = bytes(result.message)
    if result.type == "succeeded" and message.startswith(b"{"):
        return answered(message_bodies.FAMILY, message, item, reading)
    error = text(result.error.name if result.error else result.type, "result.type")
    return unanswered(
        item,
        reading,
        # Inside a batch a custom id stands once.
        identity=Identity(fingerprint=fingerprint("batch", row.custom_id, result.type, error)),
        provider=reading.options.provider or "anthropic",
        error_type=error,
        error_origin="client" if error in _CALLERS_OWN else "upstream",
    )


FORMAT = answer_format(
    name="anthropic_batch",
    title="Anthropic batch results",
    body=_row,
    recognise=recognise,
    convention=Convention.DISJOINT,
    key="id of the message; of a request without answer custom_id and what became of it",
    where="the results file of a message batch (GET /v1/messages/batches/…/results)",
    source="anthropic-sdk-python's types",
    has_time=False,
)
