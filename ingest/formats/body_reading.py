"""What a provider's answer is read with, by whichever format found it: as it is, in a batch, wrapped."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from accounting.domain.usage import Identity
from ingest.formats.base import Item, Options, Outcome, RejectedError, State
from ingest.formats.fields import Decoder, json_of
from ingest.formats.occurrences import Seen, numbered

_ANYTHING: Decoder[object] = Decoder(object)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One file's reading. source: the format's name. seen: the bodies without an id so far."""

    source: str
    options: Options
    seen: Seen

    def fingerprint(self, item: Item) -> bytes:
        """What an answer without an id is known by: what it says, and which of its equals it is.

        Spacing and line ends take no part.
        """
        body = json_of(item)
        try:
            said = _ANYTHING.of(body)
        except RejectedError:  # a stream of events
            said = body.decode("utf-8", "replace").replace("\r", "")
        return numbered(self.seen, said)

    def identity(
        self, item: Item, *, response_id: str = "", gateway_request_id: str = ""
    ) -> Identity:
        """What an answer is known by: its ids, and without any its fingerprint."""
        return Identity(
            response_id=response_id,
            gateway_request_id=gateway_request_id,
            fingerprint=b"" if response_id or gateway_request_id else self.fingerprint(item),
        )


def reading_of(source: str, options: Options, state: State) -> Reading:
    """The reading of a file with the state that was saved with its last chunk."""
    return Reading(source=source, options=options, seen=cast(Seen, state))


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One kind of answer. fits: whether a decoded body is one; read: the body in an item."""

    name: str
    fits: Callable[[Mapping[str, object]], bool]
    read: Callable[[Item, Reading], Outcome]


def usage_of(body: Mapping[str, object]) -> Mapping[str, object]:
    """The body's usage object; empty when there is none."""
    found = body.get("usage")
    return found if isinstance(found, dict) else {}
