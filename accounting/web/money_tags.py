"""Template tags of amounts: as a person reads them, exact in their titles, and alike in a column."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounting.domain import money as domain_money
from accounting.domain.money import plain
from accounting.domain.savings import CacheCost
from accounting.queries.leading import Told
from accounting.queries.totals import Cost, Totals
from accounting.web import formatting
from accounting.web.alike import decimals_of

register = template.Library()


@register.simple_tag
def money(amount: Decimal | None, currency: str = "", decimals: int | str = "") -> SafeString | str:
    """A readable amount, exact in its title, its currency a little quieter.

    decimals: of its column, '' for as many as it needs itself.
    """
    text = formatting.money(amount, decimals=decimals if isinstance(decimals, int) else None)
    return _amount(amount, currency, text)


@register.simple_tag
def short_money(amount: Decimal | int | None, currency: str = "") -> SafeString | str:
    """An amount in a tile: as money, but short from a million on; exact in its title."""
    amount = None if amount is None else Decimal(amount)
    return _amount(amount, currency, formatting.short_money(amount))


@register.filter
def credits(amount: Decimal | None) -> str:
    """An amount of credits, which has no currency."""
    return formatting.money(amount)


@register.filter
def credit_unit(unit: str) -> str:
    """What an amount is of: a currency or a kind of credit as it is named, the usual kind in words."""
    return _("credits") if unit == "credit" else unit


@register.filter
def one_credit(unit: str) -> str:
    """The same of a single one, as rates are written: 1 credit = 0.01 USD."""
    return _("credit") if unit == "credit" else unit


@register.filter
def from_picos(amount: int | None) -> Decimal | None:
    """An amount as rating computes it, as the Decimal that pages show."""
    return None if amount is None else domain_money.from_picos(amount)


@register.filter
def is_foreign(totals: Totals, currency: str) -> bool:
    """Whether something was spent in another currency than this one."""
    return any(cost.currency != currency for cost in totals.costs)


@register.filter
def own_first(costs: Sequence[Cost], currency: str) -> list[Cost]:
    """The costs with that in the organization's currency before the others."""
    return sorted(costs, key=lambda cost: cost.currency != currency)


@register.simple_tag
def price_in_line(price: Decimal, label: object, decimals: Mapping[str, int]) -> SafeString | str:
    """A price as it was entered, moved so that the points of its column stand below each other.

    decimals: of the longest price of each column, by its heading.
    """
    text = formatting.unit_price(price)
    missing = decimals[str(label)] - len(text.partition(".")[2])
    return format_html('<span class="pad{}">{}</span>', missing, text) if missing else text


@register.simple_tag
def decimals(rows: Iterable[object], *paths: str) -> int:
    """How many decimals the amounts of a column have.

    paths: where each row has them, as a template would say it. What is found there is an amount, one in
    10^-12 as rating computes it, some usage, what a cache saved, amounts by currency, or several of these.
    """
    variables = [template.Variable(f"row.{path}") for path in paths]
    return decimals_of(
        amount
        for row in rows
        for variable in variables
        for amount in _amounts(_resolved(variable, row))
    )


def _amount(amount: Decimal | None, currency: str, text: str) -> SafeString | str:
    if amount is None:
        return text
    return format_html(
        '<data class="money" value="{}" title="{} {}">{}<span class="unit"> {}</span></data>',
        plain(amount),
        formatting.exact(amount),
        currency,
        text,
        currency,
    )


def _resolved(variable: template.Variable, row: Any) -> object:
    try:
        return variable.resolve({"row": row})
    except template.VariableDoesNotExist:
        return None


def _amounts(value: object) -> Iterator[Decimal]:
    match value:
        case Decimal():
            yield value
        case int():
            yield domain_money.from_picos(value)
        case CacheCost():
            yield from (value.saved, value.write_premium, value.net)
        case Totals() | Told():
            yield from (cost.amount for cost in value.costs)
            if value.cost_base is not None and len(value.costs) > 1:
                yield value.cost_base
        case dict():
            yield from _amounts(tuple(value.values()))
        case tuple() | list():
            for one in value:
                yield from _amounts(one)
