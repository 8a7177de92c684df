"""Messages that a document holds as source records of their own."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

import msgspec

from ingest.formats.base import Item, Options, Outcome, RejectedError, State
from ingest.formats.fields import outcome_of
from ingest.formats.tables import Reader


def each_of(item: Item, messages: Iterable[msgspec.Raw] | None) -> list[Item]:
    """An item for each message, its line counted from the document's own; without any the item."""
    return [
        replace(item, line=item.line + position, body=bytes(message))
        for position, message in enumerate(messages or ())
    ] or [item]


def each_message[Around](
    messages_of: Callable[[Item], Iterable[tuple[Around, msgspec.Raw]]],
    one: Callable[[Options, Around, Item], Outcome],
) -> Reader:
    """Reads one outcome for each message of a document; one rejection where it is none.

    messages_of: a document's messages, each with what stands around it; may raise RejectedError.
    A message's line is its place in the document.
    """
    return partial(_read, messages_of, one)


def _read[Around](
    messages_of: Callable[[Item], Iterable[tuple[Around, msgspec.Raw]]],
    one: Callable[[Options, Around, Item], Outcome],
    items: Iterable[Item],
    options: Options,
    _state: State,
) -> Iterator[Outcome]:
    for item in items:
        try:
            if item.refusal is not None:
                raise item.refusal
            messages = list(messages_of(item))
        except RejectedError as error:
            yield error.at(item)
            continue
        for position, (around, message) in enumerate(messages):
            inner = replace(item, line=item.line + position, body=bytes(message))
            yield outcome_of(inner, partial(one, options, around))
