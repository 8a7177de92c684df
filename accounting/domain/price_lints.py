"""What looks wrong about prices though every row could be right: a person confirms or fixes it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Protocol

from accounting.domain.money import plain
from accounting.domain.rates import Conditions, Window
from accounting.domain.units import is_token

#: A price this much above or below the listed one was typed for another number of tokens.
FAR = 1_000
#: Where no list has the model: what a million tokens of any model has cost so far, with room.
DEAREST_MTOK, CHEAPEST_MTOK = 10_000, Fraction(1, 10_000)
BATCH = ("processing", "batch")
_INPUT, _READ, _WRITE = "input", "input.cache_read", "input.cache_write"
_WRITE_5M, _WRITE_1H = f"{_WRITE}.5m", f"{_WRITE}.1h"
_WEEK_QUARTERS = 7 * 24 * 4


class PricedRow(Protocol):
    """A rate, as the domain or a table has it."""

    @property
    def provider(self) -> str: ...  # noqa: D102
    @property
    def model(self) -> str: ...  # noqa: D102
    @property
    def unit(self) -> str: ...  # noqa: D102
    @property
    def price(self) -> Decimal: ...  # noqa: D102
    @property
    def per(self) -> int: ...  # noqa: D102
    @property
    def effective_from(self) -> datetime: ...  # noqa: D102
    @property
    def effective_to(self) -> datetime | None: ...  # noqa: D102
    @property
    def input_gt(self) -> int | None: ...  # noqa: D102
    @property
    def conditions(self) -> Conditions: ...  # noqa: D102
    @property
    def window(self) -> Window | None: ...  # noqa: D102
    @property
    def priority(self) -> int: ...  # noqa: D102


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One doubt. code is stable; message is for people."""

    code: str
    provider: str
    model: str
    unit: str
    message: str


def findings[R: PricedRow](
    rows: Iterable[R],
    *,
    is_new: Callable[[R], bool],
    listed: Mapping[tuple[str, str, str], Fraction],
) -> list[Finding]:
    """The doubts about new rows, alone or beside those that stand.

    rows: all rows of the models of one book after the change. listed: (provider in lower case,
    model in lower case, unit) -> the built-in list's price of one.
    """
    by_model: dict[tuple[str, str], list[R]] = {}
    for row in rows:
        by_model.setdefault((row.provider, row.model), []).append(row)
    found: list[Finding] = []
    for group in by_model.values():
        for row in group:
            if is_new(row):
                found += _magnitude(row, listed)
                found += _base(row, group)
        for one, two in combinations(group, 2):
            if is_new(one) or is_new(two):
                found += _between(one, two)
        found += _gaps(group, is_new)
    return list(dict.fromkeys(found))


def price_of_one(row: PricedRow) -> Fraction:
    """What one of the unit costs."""
    return Fraction(row.price) / row.per


def _magnitude(
    row: PricedRow, listed: Mapping[tuple[str, str, str], Fraction]
) -> Iterator[Finding]:
    price = price_of_one(row)
    known = listed.get((row.provider.lower(), row.model.lower(), row.unit))
    if not price or not is_token(row.unit):
        return
    if known:
        times = price / known
        if times >= FAR or times <= Fraction(1, FAR):
            said = f"is {_about(times)} times the built-in list's {_per_mtok(known)}"
            yield _finding("magnitude", row, f"{_per_mtok(price)} per million {said}")
    elif not CHEAPEST_MTOK <= price * 1_000_000 <= DEAREST_MTOK:
        yield _finding(
            "magnitude", row, f"{_per_mtok(price)} per million tokens: was it typed for one token?"
        )


def _base(row: PricedRow, group: Iterable[PricedRow]) -> Iterator[Finding]:
    """A price for long requests alone leaves the short ones without."""
    if row.input_gt is None or any(
        (other.unit, other.conditions, other.input_gt) == (row.unit, row.conditions, None)
        for other in group
    ):
        return
    yield _finding("no_base_price", row, f"no price up to {row.input_gt} tokens of input")


def _between(one: PricedRow, two: PricedRow) -> Iterator[Finding]:
    if not _meet(one, two) or one.input_gt != two.input_gt:
        return
    if one.unit == two.unit:
        yield from _batch(one, two)
        yield from _batch(two, one)
        yield from _windows(one, two)
    elif (one.conditions, one.window) == (two.conditions, two.window):
        for low, high in ((one, two), (two, one)):
            yield from _order(low, high)


def _order(low: PricedRow, high: PricedRow) -> Iterator[Finding]:
    if price_of_one(low) <= price_of_one(high):
        return
    if (low.unit, high.unit) == (_READ, _INPUT):
        yield _finding(
            "cached_above_input", low, f"{_shown(low)} is more than input, {_shown(high)}"
        )
    if low.unit in {_WRITE, _WRITE_5M} and high.unit == _WRITE_1H:
        yield _finding("hour_below_5_minutes", high, f"{_shown(high)} is less than {_shown(low)}")


def _batch(batch: PricedRow, standard: PricedRow) -> Iterator[Finding]:
    """A batch that is not cheaper is worth a look even where it costs the same."""
    rest = tuple(pair for pair in batch.conditions if pair != BATCH)
    if BATCH not in batch.conditions or rest != standard.conditions:
        return
    if batch.window == standard.window and price_of_one(batch) >= price_of_one(standard) > 0:
        yield _finding(
            "batch_not_below_standard", batch, f"{_shown(batch)}, standard {_shown(standard)}"
        )


def _windows(one: PricedRow, two: PricedRow) -> Iterator[Finding]:
    if one.window is None or two.window is None or one.window == two.window:
        return
    if (one.conditions, one.priority) != (two.conditions, two.priority):
        return
    start = max(one.effective_from, two.effective_from)
    for quarter in range(_WEEK_QUARTERS):
        moment = start + timedelta(minutes=15 * quarter)
        if one.window.holds(moment) and two.window.holds(moment):
            message = f"{_shown(one)} and {_shown(two)} both hold at {moment.isoformat()}"
            yield _finding("windows_overlap", one, message)
            return


def _gaps[R: PricedRow](rows: Sequence[R], is_new: Callable[[R], bool]) -> Iterator[Finding]:
    lines: dict[tuple[object, ...], list[R]] = {}
    for row in rows:
        key = (row.unit, row.input_gt, row.conditions, row.window, row.priority)
        lines.setdefault(key, []).append(row)
    for line in lines.values():
        for before, after in pairwise(sorted(line, key=lambda row: row.effective_from)):
            end = before.effective_to
            if end is not None and end < after.effective_from and (is_new(before) or is_new(after)):
                message = f"no price from {end.isoformat()} to {after.effective_from.isoformat()}"
                yield _finding("gap", before, message)


def _meet(one: PricedRow, two: PricedRow) -> bool:
    """Whether both are in force at some moment."""
    return (one.effective_to is None or two.effective_from < one.effective_to) and (
        two.effective_to is None or one.effective_from < two.effective_to
    )


def _finding(code: str, row: PricedRow, message: str) -> Finding:
    return Finding(
        code=code, provider=row.provider, model=row.model, unit=row.unit, message=message
    )


def _shown(row: PricedRow) -> str:
    return f"{row.unit} at {plain(row.price)} per {row.per}"


def _per_mtok(price: Fraction) -> str:
    return _about(price * 1_000_000)


def _about(value: Fraction) -> str:
    """A number for a message, to six significant digits."""
    return f"{value:.6g}"
