"""Formats whose records tell something only after the ones before: a state goes along with them."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from ingest.formats.base import Item, Options, Outcome, State
from ingest.formats.fields import outcomes


def read_in_order[Kept: State](
    kept: type[Kept], one: Callable[[Options, Kept, Item], Outcome]
) -> Callable[[Iterable[Item], Options, State], Iterator[Outcome]]:
    """The read of a format that makes one outcome of each record and of the state before it.

    kept: the format's state, which `one` changes.
    """

    def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
        """One outcome for each record, in order."""
        if not isinstance(state, kept):
            raise TypeError(f"{state!r} is no {kept.__name__}")
        return outcomes(items, partial(one, options, state))

    return read
