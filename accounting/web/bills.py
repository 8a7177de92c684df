"""A bill as a page shows it: one line per unit, with the price row that decided it."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounting.domain.money import from_picos
from accounting.queries.explain import Explanation
from accounting.queries.explained_rates import AppliedRate

#: How a reason begins -> the same for the reader; what follows is a name or a number.
_REASONS: Mapping[str, Promise] = {
    "names ": _("names %(what)s"),
    "all models of ": _("all models of %(what)s"),
    "any model": _("any model"),
    "priority ": _("priority %(what)s"),
    "time window ": _("time window %(what)s"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BillLine:
    """A quantity and what it costs; price, per, amount and rate are None where no price covers it.

    factor: what multipliers come to, None where there are none. reasons: what put the rate before
    others, between its book and its date.
    """

    unit: str
    quantity: int
    price: Decimal | None
    per: int | None
    factor: Decimal | None
    amount: Decimal | None
    currency: str
    rate: AppliedRate | None
    reasons: tuple[str, ...] = ()


def bill_lines(explained: Explanation) -> tuple[BillLine, ...]:
    """The lines of an explained event in the order of its bill."""
    currency = explained.rating.currency if explained.rating else ""
    return tuple(
        BillLine(
            unit=one.line.unit,
            quantity=one.line.quantity,
            price=one.line.unit_price,
            per=one.line.per,
            factor=None if one.line.multiplier == 1 else one.line.multiplier,
            amount=None if one.line.amount is None else from_picos(one.line.amount),
            currency=currency,
            rate=one.rate,
            reasons=tuple(map(_in_words, one.rate.why[1:-1])) if one.rate else (),
        )
        for one in explained.lines
    )


def _in_words(reason: str) -> str:
    for begin, words in _REASONS.items():
        if reason.startswith(begin):
            return str(words) % {"what": reason.removeprefix(begin)}
    return reason
