"""A push of CloudEvents before it is kept: in a body of their own, or one in the request's headers."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from ingest.formats.base import SAMPLE_BYTES, RejectedError, Skipped, UnreadableError
from ingest.formats.cutting import items_of
from ingest.formats.detection import detect
from ingest.formats.nesting import is_too_deep, too_deep
from ingest.formats.strict import examined
from ingest.services.looking import cut_as, is_empty
from ingest.services.receive import Looked, Sender, probe

FORMAT = "cloudevents"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsLook:
    """A look for events. attributes: of the one event that the body is the data of, else empty."""

    sender: Sender
    attributes: Mapping[str, str]

    def __call__(self, body: bytes) -> Looked | None:
        """The events; None where none of them has data. Raises UnreadableError."""
        told = _around(body, self.attributes) if self.attributes else body
        if is_empty(told):
            return None
        found = detect(told[:SAMPLE_BYTES], self.sender.name, wanted=FORMAT)
        looked = cut_as(found, told)
        probe(found, looked.pieces[:1], self.sender)
        return looked if len(told) > SAMPLE_BYTES or self._has_data(looked) else None

    def _has_data(self, looked: Looked) -> bool:
        known, layout = looked.detection.format, looked.detection.layout
        items = [item for piece in looked.pieces for item in items_of(piece, layout)]
        outcomes = known.read(items, self.sender.options(), known.new_state())
        return not all(isinstance(outcome, Skipped) for outcome in outcomes)


def _around(body: bytes, attributes: Mapping[str, str]) -> bytes:
    """The event with the body as its data, as JSON."""
    event: dict[str, object] = dict(attributes)
    if body.strip():
        event["data"] = msgspec.Raw(_one_value(body))
    return msgspec.json.encode(event)


def _one_value(body: bytes) -> bytes:
    """A text that is one JSON value: what would end it early could name the event anew."""
    if is_too_deep(body):
        raise UnreadableError("too_deep", too_deep().reason)
    try:
        return bytes(msgspec.json.decode(body, type=msgspec.Raw))
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        try:
            examined(body)
        except RejectedError as found:
            raise UnreadableError(found.code, found.reason) from found
        raise UnreadableError("not_json", "the body is no JSON value") from error
