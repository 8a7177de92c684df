"""What changed since the range before, and which share of the bill is input, in a sentence each."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounting.queries.change import Change, ChangeAnswer
from accounting.queries.filters import UsageFilter
from accounting.queries.totals import Cost, exact_sum
from accounting.web import formatting
from accounting.web.periods import span

NAMED_CAUSES = 3
EFFECTS: dict[str, Promise] = {
    "volume": gettext_lazy("number of requests"),
    "mix": gettext_lazy("mix of models"),
    "length": gettext_lazy("length of requests"),
    "cache": gettext_lazy("cache"),
    "price": gettext_lazy("prices"),
    "other": gettext_lazy("charges beside tokens"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One currency: what its bill consists of, and why it is not what it was, '' without a comparison."""

    currency: str
    shares: str
    changed: str = ""


def told(
    costs: tuple[Cost, ...], answer: ChangeAnswer | None, compared: UsageFilter | None
) -> tuple[Told, ...]:
    """The sentences about a range's costs. compared: the range that the answer compares it with."""
    changes = {change.currency: change for change in answer.changes} if answer else {}
    return tuple(
        Told(
            currency=cost.currency,
            shares=shares(cost),
            changed=changed(changes[cost.currency], compared)
            if compared and cost.currency in changes
            else "",
        )
        for cost in costs
        if cost.amount > 0
    )


def shares(cost: Cost) -> str:
    """Which share of a cost is input."""
    sent = exact_sum([cost.input, cost.cache_read, cost.cache_write])
    parts = {
        "input": _share(sent, cost.amount),
        "cached": _share(exact_sum([cost.cache_read, cost.cache_write]), cost.amount),
        "output": _share(cost.output, cost.amount),
    }
    if cost.cache_read or cost.cache_write:
        return (
            _(
                "Input is %(input)s of the bill (%(cached)s for reading and writing caches), "
                "output %(output)s."
            )
            % parts
        )
    return _("Input is %(input)s of the bill, output %(output)s.") % parts


def changed(change: Change, compared: UsageFilter) -> str:
    """The difference to the compared range, its greatest causes and what is left of it."""
    bridge = change.bridge
    words = {
        "range": span(compared.start, compared.end),
        "before": formatting.money(bridge.before, change.currency),
        "amount": formatting.money(abs(bridge.difference), change.currency),
        "causes": _causes(change),
    }
    if not bridge.before:
        return _("Nothing was spent in the range before (%(range)s).") % words
    if bridge.difference > 0:
        return _("%(amount)s more than the %(before)s of %(range)s: %(causes)s.") % words
    if bridge.difference < 0:
        return _("%(amount)s less than the %(before)s of %(range)s: %(causes)s.") % words
    return _("As much as before (%(range)s).") % words


def _causes(change: Change) -> str:
    effects = sorted(change.bridge.effects.items(), key=lambda pair: -abs(pair[1]))
    shown = [(name, amount) for name, amount in effects if amount]
    told = [(str(EFFECTS[name]), amount) for name, amount in shown[:NAMED_CAUSES]]
    if rest := exact_sum([amount for _name, amount in shown[NAMED_CAUSES:]]):
        told.append((_("everything else"), rest))
    return formatting.listed(f"{cause} {_signed(amount)}" for cause, amount in told)


def _signed(amount: Decimal) -> str:
    text = formatting.money(amount)
    return f"+{text}" if amount > 0 else text


def _share(part: Decimal, whole: Decimal) -> str:
    return formatting.percent(Fraction(part) / Fraction(whole))
