"""What changed against the range before, in an arrow, a sign and words."""

from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext as _

from accounting.queries.totals import Totals
from accounting.web import formatting

#: From eleven times on, a percentage says less than how many times.
MANY_TIMES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A change in words, and the same for people who can't see the arrow."""

    text: str
    spoken: str


def delta(now: Decimal | int | None, before: Decimal | int | None) -> Delta | None:
    """The change of an amount; None where there is nothing to compare with."""
    if now is None or not before:
        return None
    share = Decimal(now) / Decimal(before) - 1
    if share >= MANY_TIMES:
        times = formatting.figure(int(Decimal(now) / Decimal(before)))
        return Delta(
            text=f"▲ {times}×", spoken=_("%(times)s times the period before") % {"times": times}
        )
    size = formatting.percent(abs(share))
    if share > 0:
        return Delta(
            text=f"▲ +{size}", spoken=_("up %(share)s on the period before") % {"share": size}
        )
    if share < 0:
        text = f"▼ {formatting.MINUS}{size}"
        return Delta(text=text, spoken=_("down %(share)s on the period before") % {"share": size})
    return Delta(text="= 0 %", spoken=_("as in the period before"))


def deltas(now: Totals, before: Totals | None) -> dict[str, Delta | None]:
    """The changes that the overview shows, by name; spend by currency code."""
    if before is None:
        return {}
    return {
        "requests": delta(now.requests, before.requests),
        "input": delta(now.input_tokens, before.input_tokens),
        **{cost.currency: delta(cost.amount, before.cost_in(cost.currency)) for cost in now.costs},
    }
