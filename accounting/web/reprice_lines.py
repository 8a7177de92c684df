"""What a repricing run found, as lines of a table with amounts to read."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounting.models import RepriceRun
from accounting.models.repricing import UNFINISHED_STATES
from accounting.queries.totals import exact_sum

CAUSES: dict[str, Promise] = {
    "newly_priced": _("has a price now"),
    "now_unpriced": _("has no price any more"),
    "model_alias": _("is another model now"),
    "tier": _("another tier or condition"),
    "rate_changed": _("the price changed"),
    "fx_rate": _("the exchange rate changed"),
    "credit_rate": _("the credit rate changed"),
}
STATES: dict[str, tuple[Promise, str]] = {
    "drafting": (_("comparing"), ""),
    "drafted": (_("dry run: nothing changed yet"), "caution"),
    "applying": (_("being applied"), ""),
    "applied": (_("applied"), "good"),
    "undoing": (_("being undone"), ""),
    "undone": (_("undone"), ""),
}
QUARTER = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """How far a run is. percent: of the events of its present state."""

    state: Promise
    tone: str
    percent: int
    is_over: bool

    @property
    def quarter(self) -> int:
        """The last quarter passed: what is spoken."""
        return self.percent // QUARTER * QUARTER


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """One difference. old, new: None where the events have no price; difference: what sums gain.

    booked_in: the month in which it is booked because its own is closed, else ''.
    """

    month: str
    provider: str
    model: str
    cause: Promise | str
    currency: str
    booked_in: str
    events: int
    old: Decimal | None
    new: Decimal | None
    difference: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrencySum:
    """Everything a run changes in one currency."""

    currency: str
    old: Decimal
    new: Decimal
    difference: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The difference of a run. left: events of closed months whose new cost is unknown."""

    events: int
    changed: int
    left: int
    lines: tuple[RunLine, ...]
    sums: tuple[CurrencySum, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpricedLine:
    """What stays without a price."""

    month: str
    provider: str
    model: str
    events: int
    tokens: int


def progress_of(run: RepriceRun) -> RunProgress:
    """Where a run stands, in words and percent."""
    state, tone = STATES[run.state]
    is_over = run.state not in UNFINISHED_STATES
    percent = 100 if is_over else int(min(run.done * 100 // run.total, 100)) if run.total else 0
    return RunProgress(state=state, tone=tone, percent=percent, is_over=is_over)


def run_lines(run: RepriceRun) -> Found:
    """What the dry run found; once it was applied, what applying did."""
    told = run.outcome if run.state in {"applied", "undoing", "undone"} else run.draft
    lines = tuple(_line(row) for row in told.get("rows", ()))
    return Found(
        events=told.get("events", 0),
        changed=told.get("changed", 0),
        left=told.get("left", 0),
        lines=lines,
        sums=tuple(_sums(lines)),
    )


def unpriced_lines(run: RepriceRun) -> tuple[UnpricedLine, ...]:
    """What has no price, or not for everything, also by the new prices."""
    return tuple(UnpricedLine(**row) for row in run.draft.get("unpriced", ()))


def _line(row: dict[str, Any]) -> RunLine:
    return RunLine(
        **{name: row[name] for name in ("month", "provider", "model", "currency", "events")},
        cause=CAUSES.get(row["cause"], row["cause"]),
        booked_in=row["booked_in"] or "",
        old=_amount(row["old_cost"]),
        new=_amount(row["new_cost"]),
        difference=_amount(row["difference_cost"]) or Decimal(0),
    )


def _sums(lines: Iterable[RunLine]) -> Iterable[CurrencySum]:
    by_currency: dict[str, list[RunLine]] = {}
    for line in lines:
        by_currency.setdefault(line.currency, []).append(line)
    for currency, group in sorted(by_currency.items()):
        yield CurrencySum(
            currency=currency,
            old=exact_sum(line.old for line in group if line.old is not None),
            new=exact_sum(line.new for line in group if line.new is not None),
            difference=exact_sum(line.difference for line in group),
        )


def _amount(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)
