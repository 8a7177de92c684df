"""What the body of a push is, told before it is kept."""

import json
from dataclasses import dataclass
from io import BytesIO

from ingest.formats.base import SAMPLE_BYTES, Skipped
from ingest.formats.cutting import cut, items_of
from ingest.formats.detection import Detection, detect
from ingest.formats.litellm_calls import TEST_MODEL
from ingest.services.receive import Looked, Sender, probe

#: A body of a few bytes may be one of those that hold no record.
_SHORT = 100


@dataclass(frozen=True, slots=True)
class AnyFormat:
    """A look for a body of any known format."""

    sender: Sender

    def __call__(self, body: bytes) -> Looked | None:
        """What it is; None for a body without a record and for one that a test button sends."""
        if is_empty(body):
            return None
        found = detect(body[:SAMPLE_BYTES], self.sender.name, wanted=self.sender.wanted_format)
        looked = cut_as(found, body)
        probe(found, looked.pieces[:1], self.sender)
        return None if self._is_test(body, looked) else looked

    def _is_test(self, body: bytes, looked: Looked) -> bool:
        """Whether a gateway only tries the connection."""
        if len(body) > SAMPLE_BYTES or TEST_MODEL.encode() not in body:
            return False
        known, layout = looked.detection.format, looked.detection.layout
        items = [item for piece in looked.pieces for item in items_of(piece, layout)]
        outcomes = known.read(items, self.sender.options(), known.new_state())
        return all(isinstance(outcome, Skipped) for outcome in outcomes)


def cut_as(found: Detection, body: bytes) -> Looked:
    """A whole body, cut as it was found to be."""
    return Looked(detection=found, whole=body, pieces=list(cut(BytesIO(body), found.layout)))


def is_empty(body: bytes) -> bool:
    """Whether a body is blank, null, or a list or object with nothing in it: gateways send such ones."""
    if not body.strip():
        return True
    if len(body) > _SHORT:
        return False
    try:
        value = json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    values = value if isinstance(value, list) else [value]
    return all(each is None or each == {} for each in values)
