"""Which tables answer a filter: days, hours, days of one attribute or of everything, else the ledger."""

from collections.abc import Iterable
from dataclasses import dataclass

from accounting.queries.filters import UsageFilter
from accounting.queries.grammar import (
    CALLERS,
    DAY_DIMENSIONS,
    HOUR_DIMENSIONS,
    is_attribute,
    is_dimension,
    tag_of,
)
from accounting.queries.tables import Source, hours, ledger
from accounting.queries.whole_days import Ends, by_attribute, by_caller, by_cells, by_days

#: What is kept of a day beside one attribute.
_BESIDE = frozenset({"model", "provider", "status"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The tables that together hold a filter's usage once.

    is_slow: the whole of it is events, or each row's tags are looked into.
    """

    parts: tuple[Source, ...]
    is_slow: bool = False

    @property
    def is_ledger(self) -> bool:
        """Whether all of it is single requests, of which one reading should answer two questions."""
        return all(part.is_ledger for part in self.parts)


def sources_of(wanted: UsageFilter, dimensions: Iterable[str]) -> Sources:
    """What answers a filter that is cut by its bucket and these dimensions.

    Where days or longer of the organization's zone are asked for, the first of these that keeps every
    name: days by one of users, keys and projects beside the status; days by what DAY_DIMENSIONS says, or
    rather those of any attribute where model, provider and status are enough; days by one attribute beside
    these three; days by everything, which is slow where it is asked for tags. Else hours, where they keep
    the names; else the ledger, which is slow.
    """
    names = {*dimensions, *(choice.name for choice in wanted.choices)}
    is_of_hours = names <= {*HOUR_DIMENSIONS}
    if wanted.bucket != "hour" and not wanted.tz and all(map(is_dimension, names)):
        return _of_days(wanted, names, ends=hours if is_of_hours else ledger)
    if is_of_hours:
        return Sources(parts=(hours(wanted, wanted.starts_at, wanted.ends_at),))
    return Sources(parts=(ledger(wanted, wanted.starts_at, wanted.ends_at),), is_slow=True)


def _of_days(wanted: UsageFilter, names: set[str], ends: Ends) -> Sources:
    """The fewest rows of days that keep all of the names."""
    for one in names:
        if one in CALLERS and names <= {one, "status"}:
            return Sources(parts=by_caller(wanted, one))
    if names <= {*DAY_DIMENSIONS}:
        return Sources(parts=by_days(wanted, is_beside=names <= _BESIDE))
    for one in names:
        if is_attribute(one) and names <= {one, *_BESIDE}:
            return Sources(parts=by_attribute(wanted, one))
    return Sources(parts=by_cells(wanted, ends), is_slow=any(map(tag_of, names)))
