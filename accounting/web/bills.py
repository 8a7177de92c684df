"""A bill as a page shows it: one line per unit, with the price row that decided it."""

from dataclasses import dataclass
from decimal import Decimal

from accounting.domain.money import from_picos
from accounting.queries.explain import Explanation
from accounting.queries.explained_rates import AppliedRate
from accounting.web.rate_words import reasons_of


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
    reasons: str = ""


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
            reasons=reasons_of(one.rate.row) if one.rate else "",
        )
        for one in explained.lines
    )
