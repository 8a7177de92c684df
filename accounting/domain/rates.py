"""The rows of a price table as values: rates and multipliers, when and to what they apply."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

EVERY_DAY = 0b1111111
VOLUME, GRADUATED = TIER_MODES = ("volume", "graduated")
#: (key, value) pairs of a request or of a row, sorted, in lower case.
Conditions = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A recurring local span of the day, half-open; it may run over midnight.

    weekdays: bits of the days on which it starts, Monday = 1. from == to is the whole day.
    """

    zone: str
    start: time
    end: time
    weekdays: int = EVERY_DAY

    def holds(self, moment: datetime) -> bool:
        """Whether a UTC moment lies in the window."""
        local = moment.astimezone(ZoneInfo(self.zone))
        clock = local.time()
        if self.start < self.end:
            return self.start <= clock < self.end and self._starts_on(local)
        if clock >= self.start:
            return self._starts_on(local)
        return clock < self.end and self._starts_on(local - timedelta(days=1))

    @property
    def on_quarters(self) -> bool:
        """Whether it opens and closes on full quarters of an hour."""
        return not any(
            edge.minute % 15 or edge.second or edge.microsecond for edge in (self.start, self.end)
        )

    def _starts_on(self, local: datetime) -> bool:
        return bool(self.weekdays >> local.weekday() & 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """When a row applies: all of it must hold.

    provider, model: '' is any. unit: '' is any, else the unit and its parts.
    effective_to: exclusive; None: still in force. input_gt: the request's whole input must be more.
    """

    id: int
    book_id: int
    provider: str
    model: str
    unit: str
    effective_from: datetime
    effective_to: datetime | None = None
    input_gt: int | None = None
    conditions: Conditions = ()
    window: Window | None = None
    priority: int = 0

    @property
    def rank(self) -> tuple[int, int, int, int, int, datetime, int]:
        """Among rows that all hold, the greatest applies."""
        return (
            self.priority,
            2 * bool(self.model) + bool(self.provider),
            len(self.conditions),
            self.window is not None,
            -1 if self.input_gt is None else self.input_gt,
            self.effective_from,
            -self.id,
        )

    def in_force(self, moment: datetime) -> bool:
        """Whether a moment lies between the row's first instant and its end."""
        return self.effective_from <= moment and (
            self.effective_to is None or moment < self.effective_to
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiers:
    """Prices by how much of a unit one request uses.

    mode: 'volume' charges all of it at the price of its tier, 'graduated' each tier's share at that
    tier's price. steps: (above, price), ascending: the price holds for what is more than `above`.
    """

    mode: str
    steps: tuple[tuple[int, Decimal], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate(Match):
    """The price of `per` of a unit; of the first of them, where the rate has tiers."""

    price: Decimal
    per: int = 1_000_000
    tiers: Tiers | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Multiplier(Match):
    """A factor on matching rates; the best of each stack group applies, and groups multiply."""

    factor: Decimal
    stack_group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """A table of rates in one currency. rank: its place in the chain, least first."""

    id: int
    code: str
    currency: str
    rank: tuple[int, ...]
    project_id: int | None = None
    parent_id: int | None = None
    own: bool = True  # the organization's, not a list for everybody


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """A dated price of one unit of something in a currency: of a credit, or of another currency."""

    id: int
    what: str
    currency: str
    price: Decimal
    effective_from: datetime
    effective_to: datetime | None = None


def conditions_of(pairs: dict[str, str]) -> Conditions:
    """Conditions in their one canonical order and case; empty values say nothing."""
    return tuple(
        sorted((key, value.strip().lower()) for key, value in pairs.items() if value.strip())
    )


#: Before this instant the books hold nothing.
BEGINNING = datetime(2020, 1, 1, tzinfo=UTC)
