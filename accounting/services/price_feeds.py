"""Lists of prices that other projects publish, each read into rows of our table.

A feed knows no dates: its prices hold from a given day on. What our table can't hold is never
dropped in silence; it is counted under its own name and told to whoever imports.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from accounting.domain.errors import BadRateError
from accounting.domain.money import EXACT, plain
from accounting.domain.rates import Conditions, Window
from accounting.domain.units import UNITS
from accounting.services.listed_prices import snap
from accounting.services.price_rows import MultiplierRow, RateRow

_NUMBER = re.compile(r"\d{1,20}(\.\d{1,40})?([eE][+-]?\d{1,2})?", re.ASCII)
ONE = Decimal(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Something in a feed that is not in the books: what, in how many models, one of them."""

    what: str
    models: int
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Whose price is read. provider '': any."""

    provider: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """Under which conditions a price of a feed holds."""

    conditions: Conditions = ()
    input_gt: int | None = None
    window: Window | None = None
    priority: int = 0


ALWAYS = When()


class Collected:
    """Rows as they are read from one feed, and what was left out of it."""

    def __init__(self, source: str, start: datetime) -> None:
        """source: the feed's name, noted with every row. start: when its prices begin to hold."""
        self.source = source
        self.start = start
        self.rows: dict[str, list[RateRow | MultiplierRow]] = {}
        self._left: dict[str, list[str]] = {}

    def price(
        self,
        named: Named,
        unit: str,
        price: Decimal,
        when: When = ALWAYS,
        currency: str = "USD",
    ) -> None:
        """Take a price of one of a unit."""
        per = UNITS[unit].per
        whole = Decimal(plain(snap(EXACT.multiply(price, Decimal(per)))))
        self.rows.setdefault(currency, []).append(
            RateRow(
                provider=named.provider,
                model=named.model,
                unit=unit,
                price=whole,
                per=per,
                effective_from=self.start,
                input_gt=when.input_gt,
                conditions=when.conditions,
                window=when.window,
                priority=when.priority,
                source=self.source,
            )
        )

    def factor(self, named: Named, factor: Decimal, stack_group: str, currency: str) -> None:
        """Take a factor on all prices of a model."""
        self.rows.setdefault(currency, []).append(
            MultiplierRow(
                provider=named.provider,
                model=named.model,
                unit="",
                factor=factor,
                stack_group=stack_group,
                effective_from=self.start,
                source=self.source,
            )
        )

    def leave_out(self, what: str, model: str) -> None:
        """Note that something of a model could not be taken."""
        self._left.setdefault(what[:80], []).append(model[:80])

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What was left out, the most frequent first."""
        found = [
            LeftOut(what=what, models=len(set(models)), example=models[0])
            for what, models in self._left.items()
        ]
        return tuple(sorted(found, key=lambda left: (-left.models, left.what)))


def number(written: Any) -> Decimal:
    """A non-negative number of a feed, digit for digit; JSON numbers must have been kept as text.

    Raises BadRateError for signs, words and lengths that no price has.
    """
    text = str(written).strip()
    if not _NUMBER.fullmatch(text):
        raise BadRateError(f"{text[:40]!r} is no price")
    return Decimal(text)


def whole(written: Any) -> int:
    """A whole number that a feed may write as 256e3 or 256000.0."""
    value = number(written)
    if value != value.to_integral_value() or value >= 10**12:
        raise BadRateError(f"{str(written)[:40]!r} is no count of tokens")
    return int(value)


def entries(found: Any) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """The objects of a JSON object by name."""
    if isinstance(found, Mapping):
        for name, entry in found.items():
            if isinstance(entry, Mapping):
                yield name, entry
