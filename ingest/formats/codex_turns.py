"""The turns of one `codex exec` run: its events, the run they make up, and what a turn used."""

from hashlib import blake2b

import msgspec

from accounting.domain.tokens import TokenCounts, from_inclusive
from accounting.domain.usage import NOTHING_REPORTED
from ingest.formats.base import Item, State
from ingest.formats.codex_threads import Usage
from ingest.formats.fields import Decoder, count, json_of, text


class Event(msgspec.Struct):
    """One event; only a turn's end carries usage."""

    type: str | None = None
    thread_id: str | None = None
    usage: Usage | None = None


EVENTS = Decoder(Event, {"input_tokens": 1, "output_tokens": 1})


class Run(State):
    """The thread, and a running hash of all events: they carry no ids and no times."""

    thread_id: str = ""
    chain: bytes = b""

    def follow(self, item: Item) -> Event:
        """The event in an item, which the hash and the thread then know of."""
        event = EVENTS.decoded(item)
        self.chain = blake2b(self.chain + json_of(item).strip(), digest_size=16).digest()
        self.thread_id = text(event.thread_id, "thread_id") or self.thread_id
        return event


def counts_of(usage: Usage | None) -> TokenCounts:
    """A turn's counts; where cached tokens are itemised, writes left out are none."""
    if usage is None:
        return NOTHING_REPORTED
    read = count(usage.cached_input_tokens, "usage.cached_input_tokens")
    return from_inclusive(
        input_tokens=count(usage.input_tokens, "usage.input_tokens"),
        cache_read_input_tokens=read,
        cache_write_input_tokens=0 if usage.written is None and read is not None else usage.written,
        output_tokens=count(usage.output_tokens, "usage.output_tokens"),
        reasoning_output_tokens=count(
            usage.reasoning_output_tokens, "usage.reasoning_output_tokens"
        ),
    )
