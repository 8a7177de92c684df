"""Rows of a price table before they stand in it: what imports, forms and the built-in list hand over."""

from dataclasses import dataclass
from decimal import Decimal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from accounting.domain.errors import BadRateError
from accounting.domain.periods import checked_moment
from accounting.domain.rates import Conditions, Tiers, Window
from accounting.domain.units import MTOK, UNITS
from accounting.services.timelines import Timed


@dataclass(frozen=True, slots=True, kw_only=True)
class BookRow:
    """The book that rates go into. currency '': that of the book, which must exist."""

    code: str
    currency: str = ""
    parent: str = ""
    kind: str = ""
    name: str = ""
    project: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRow(Timed):
    """When and to what a row applies. provider and model '' are any; so is unit, for a multiplier."""

    provider: str
    model: str
    unit: str
    input_gt: int | None = None
    conditions: Conditions = ()
    window: Window | None = None
    priority: int = 0
    source: str = ""
    note: str = ""

    @property
    def key(self) -> tuple[object, ...]:
        """What two rows share that must not be in force at the same time."""
        return (
            self.provider,
            self.model,
            self.unit,
            self.input_gt,
            self.conditions,
            self.window,
            self.priority,
            self.group,
        )

    @property
    def group(self) -> str:
        """The stack group of a multiplier: those of different groups stand beside each other."""
        return ""

    @property
    def label(self) -> str:
        """The row as a person names it in a message."""
        model = "/".join(part for part in (self.provider, self.model) if part) or "any model"
        return f"{model} {self.unit} from {self.effective_from.isoformat()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RateRow(MatchRow):
    """A price; with tiers, that of the first of them."""

    price: Decimal
    per: int = MTOK
    tiers: Tiers | None = None

    @property
    def value(self) -> tuple[object, ...]:
        """The price, what it is per, and its tiers."""
        return (self.price, self.per, self.tiers)


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiplierRow(MatchRow):
    """A factor."""

    factor: Decimal
    stack_group: str

    @property
    def group(self) -> str:
        """The stack group."""
        return self.stack_group

    @property
    def value(self) -> tuple[object, ...]:
        """The factor."""
        return (self.factor,)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionRow(Timed):
    """What one unit of something costs in a currency: one credit, or one unit of another currency."""

    what: str
    currency: str
    price: Decimal
    source: str = ""
    note: str = ""

    @property
    def key(self) -> tuple[object, ...]:
        """The two ends of the conversion."""
        return (self.what, self.currency)

    @property
    def value(self) -> tuple[object, ...]:
        """The price."""
        return (self.price,)

    @property
    def label(self) -> str:
        """The row as a person names it in a message."""
        return f"{self.what} in {self.currency} from {self.effective_from.isoformat()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasRow:
    """Another name, used with a provider, of a model that may be another provider's."""

    provider: str
    alias: str
    model_provider: str
    model: str


def checked_row[R: MatchRow](row: R) -> R:
    """The same row, or BadRateError naming what cannot be right about it."""
    checked_moment(row.effective_from)
    if row.effective_to is not None:
        checked_moment(row.effective_to)
        if row.effective_to <= row.effective_from:
            raise BadRateError(f"{row.label} ends before it starts")
    if row.unit and row.unit not in UNITS:
        raise BadRateError(f"unit {row.unit!r} is unknown, expected one of {', '.join(UNITS)}")
    if row.input_gt is not None and row.input_gt < 0:
        raise BadRateError(f"{row.label}: input_gt = {row.input_gt}, expected 0 or more")
    if row.window is not None:
        _check_window(row.window)
    if isinstance(row, RateRow):
        _check_price(row)
    return row


def _check_price(row: RateRow) -> None:
    if not row.unit:
        raise BadRateError(f"{row.label} has no unit")
    if row.per <= 0:
        raise BadRateError(f"{row.label}: per = {row.per}, expected more than 0")
    if row.price < 0:
        raise BadRateError(f"{row.label}: price = {row.price}, expected 0 or more")
    if row.tiers is not None:
        _check_tiers(row.label, row.tiers)


def _check_tiers(label: str, tiers: Tiers) -> None:
    edges = [above for above, _ in tiers.steps]
    if not edges or edges[0] <= 0 or sorted(set(edges)) != edges:
        raise BadRateError(f"{label}: tiers above {edges}, expected rising numbers above 0")


def _check_window(window: Window) -> None:
    try:
        ZoneInfo(window.zone)
    except (ZoneInfoNotFoundError, ValueError):
        raise BadRateError(f"{window.zone!r} is no time zone") from None
    if not 1 <= window.weekdays <= 127:
        raise BadRateError(f"weekdays = {window.weekdays}, expected 1 to 127")
