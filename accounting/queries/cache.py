"""What prompt caches saved in money, beside how often they were hit."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from accounting.domain.estimate import prices_of
from accounting.domain.money import EXACT
from accounting.domain.plans import Plan
from accounting.domain.ratebook import RateBook
from accounting.domain.ratios import ratio
from accounting.domain.savings import CacheCost
from accounting.domain.usage import Use
from accounting.queries.filters import UsageFilter
from accounting.queries.grouping import summed
from accounting.queries.prices import loaded_rates
from accounting.queries.spend import Member, members_of

_SUMS = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "cache_known_input_tokens",
    "cache_known_read_tokens",
    "cost_cache_read",
    "cost_cache_write",
)
_READ = ("input.cache_read",)
_WRITE = ("input.cache_write", "input.cache_write.5m", "input.cache_write.1h")
_MTOK_PLACES = -6


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheRow:
    """One group's cache: its hit rate over what reports cache, its money for each currency.

    group: None is the whole filter. coverage: how much of the input reports cache at all.
    """

    group: Member | None
    hit_rate: Fraction | None
    coverage: Fraction | None
    costs: tuple[tuple[str, CacheCost], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheAnswer:
    """Groups in order of what they are called, and the whole. is_slow: summed from events."""

    rows: tuple[CacheRow, ...]
    whole: CacheRow
    is_slow: bool


def cache_savings(wanted: UsageFilter) -> CacheAnswer:
    """What caches saved by group, model unless the filter has one. Two statements, one more for names.

    Tokens of an hour are compared with the model's price of plain input in that hour, at the
    organization's own prices of ordinary requests: its first context band and no discount of a
    tier. A model without a price of its own for reads or writes pays plain input for them.
    """
    group = wanted.group or "model"
    asked = replace(wanted, bucket="hour", sub="")
    found = summed(asked, ("provider", "model", group), _SUMS)
    rates = loaded_rates(wanted.organization_id)
    costs: dict[Any, dict[str, CacheCost]] = defaultdict(dict)
    tokens: dict[Any, list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in found.rows:
        hour, provider, model, member = (row[f"key_{n}"] for n in range(4))
        one = _cost(row, rates, hour, Use(provider=provider, response_model=model))
        of_member, currency = costs[member], row["currency"]
        of_member[currency] = of_member.get(currency, CacheCost()) + one
        for place, name in enumerate(_KNOWN):
            tokens[member][place] += int(row[f"sum_{name}"])
    members = members_of(wanted.organization_id, group, tokens)
    return CacheAnswer(
        rows=tuple(
            _row(members[key], tokens[key], costs[key])
            for key in sorted(tokens, key=lambda key: (members[key].label, members[key].value))
        ),
        whole=_row(None, [sum(each) for each in zip(*tokens.values(), strict=True)], _all(costs)),
        is_slow=found.is_slow,
    )


_KNOWN = ("cache_known_read_tokens", "cache_known_input_tokens", "input_tokens")


def _row(group: Member | None, tokens: list[int], costs: Mapping[str, CacheCost]) -> CacheRow:
    read, known, whole = tokens or (0, 0, 0)
    return CacheRow(
        group=group,
        hit_rate=ratio(read, known),
        coverage=ratio(known, whole),
        costs=tuple(sorted((c, cost) for c, cost in costs.items() if cost != CacheCost())),
    )


def _all(costs: Mapping[Any, Mapping[str, CacheCost]]) -> dict[str, CacheCost]:
    whole: dict[str, CacheCost] = {}
    for of_member in costs.values():
        for currency, cost in of_member.items():
            whole[currency] = whole.get(currency, CacheCost()) + cost
    return whole


def _cost(row: Mapping[str, Any], rates: RateBook, at: datetime, use: Use) -> CacheCost:
    read = int(row["sum_cache_read_input_tokens"])
    written = int(row["sum_cache_write_input_tokens"])
    if not read and not written:
        return CacheCost()
    plan = rates.plan(use, at, 0)
    prices = prices_of(plan)
    if prices is None or plan.currency != row["currency"]:
        return CacheCost(unpriced_tokens=read + written)
    read_at_input, written_at_input = (_amount(n, prices.input) for n in (read, written))
    return CacheCost(
        read_tokens=read,
        read_at_input=read_at_input,
        read_paid=row["sum_cost_cache_read"] if _has_own(plan, _READ) else read_at_input,
        written_tokens=written,
        written_at_input=written_at_input,
        written_paid=row["sum_cost_cache_write"] if _has_own(plan, _WRITE) else written_at_input,
    )


def _has_own(plan: Plan, units: tuple[str, ...]) -> bool:
    return any(unit in plan.prices and plan.prices[unit].tiers for unit in units)


def _amount(tokens: int, price_per_mtok: Decimal) -> Decimal:
    return EXACT.multiply(Decimal(tokens), price_per_mtok).scaleb(_MTOK_PLACES, EXACT)
