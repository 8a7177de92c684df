"""What prompt caches saved in money, beside how often they were hit."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from accounting.domain.estimate import prices_of
from accounting.domain.money import EXACT
from accounting.domain.periods import day_of, day_start
from accounting.domain.plans import Plan
from accounting.domain.ranges import DAY
from accounting.domain.ratebook import RateBook
from accounting.domain.ratios import ratio
from accounting.domain.savings import CacheCost
from accounting.domain.usage import Use
from accounting.queries.filters import Choice, UsageFilter
from accounting.queries.grouping import Summed, summed
from accounting.queries.prices import loaded_rates
from accounting.queries.spend import Member, members_of
from accounting.queries.wrapping import Row

_SUMS = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "cache_known_input_tokens",
    "cache_known_read_tokens",
    "cost_cache_read",
    "cost_cache_write",
)
_KNOWN = ("cache_known_read_tokens", "cache_known_input_tokens", "input_tokens")
_CACHED = ("sum_cache_read_input_tokens", "sum_cache_write_input_tokens")
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
    """Groups in order of what they are called, and the whole. is_slow: as of Sources."""

    rows: tuple[CacheRow, ...]
    whole: CacheRow
    is_slow: bool


def cache_savings(wanted: UsageFilter) -> CacheAnswer:
    """What caches saved by group, model unless the filter has one.

    Two statements, one more for names, and one more where a price changes within a day or follows the
    clock: then hours are asked for what it holds for. Tokens are compared with the model's price of
    plain input in their hour, at the organization's own prices of ordinary requests: its first
    context band and no discount of a tier. A model without a price of its own for reads or writes
    pays plain input for them.
    """
    asked = replace(wanted, bucket="day", group=wanted.group or "model", sub="")
    found = summed(asked, _cut(asked), _SUMS)
    prices = _Prices(loaded_rates(wanted.organization_id))
    costs: dict[Any, dict[str, CacheCost]] = defaultdict(dict)
    tokens: dict[Any, list[int]] = defaultdict(lambda: [0, 0, 0])
    cached, uneven = [], set()
    for row in found.rows:
        of_member = tokens[row["key_3"]]
        for place, name in enumerate(_KNOWN):
            of_member[place] += row[f"sum_{name}"]
        if not any(row[name] for name in _CACHED):
            continue
        day, provider, model = (row[f"key_{n}"] for n in range(3))
        start, end = (day_start(one, wanted.zone) for one in (day, day + DAY))
        if prices.are_steady(provider, model, start, end):
            cached.append((start, row))
        else:
            uneven.add((day, provider, model))
    hours = _hours_of(asked, uneven)
    for at, row in (*cached, *((row["key_0"], row) for row in hours.rows)):
        currency, of_group = row["currency"], costs[row["key_3"]]
        one = _cost(row, prices.at(row["key_1"], row["key_2"], at))
        of_group[currency] = of_group.get(currency, CacheCost()) + one
    members = members_of(wanted.organization_id, asked.group, tokens)
    return CacheAnswer(
        rows=tuple(
            _row(members[key], tokens[key], costs[key])
            for key in sorted(tokens, key=lambda key: (members[key].label, members[key].value))
        ),
        whole=_row(None, [sum(each) for each in zip(*tokens.values(), strict=True)], _all(costs)),
        is_slow=found.is_slow or hours.is_slow,
    )


def _cut(asked: UsageFilter) -> tuple[str, ...]:
    return "provider", "model", asked.group


def _hours_of(asked: UsageFilter, uneven: Collection[tuple[date, str, str]]) -> Summed:
    """The hours of some days of some models; no statement for none."""
    if not uneven:
        return Summed(rows=(), is_slow=False)
    models = tuple(sorted({model for _, _, model in uneven}))
    only = Choice(name="model", relation="is", values=models)
    found = summed(
        replace(asked, bucket="hour", choices=(*asked.choices, only)), _cut(asked), _SUMS
    )
    rows = tuple(
        row
        for row in found.rows
        if (day_of(row["key_0"], asked.zone), row["key_1"], row["key_2"]) in uneven
    )
    return Summed(rows=rows, is_slow=found.is_slow)


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


def _cost(row: Row, asked: "_Asked") -> CacheCost:
    read, written = (int(row[name]) for name in _CACHED)
    if not read and not written:
        return CacheCost()
    if asked.input is None or asked.currency != row["currency"]:
        return CacheCost(unpriced_tokens=read + written)
    read_at_input, written_at_input = (_amount(n, asked.input) for n in (read, written))
    return CacheCost(
        read_tokens=read,
        read_at_input=read_at_input,
        read_paid=row["sum_cost_cache_read"] if asked.has_read else read_at_input,
        written_tokens=written,
        written_at_input=written_at_input,
        written_paid=row["sum_cost_cache_write"] if asked.has_write else written_at_input,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A price of plain input, None where there is none; whether reads and writes have their own."""

    plan: Plan
    currency: str
    input: Decimal | None
    has_read: bool
    has_write: bool


class _Prices:
    """The prices of ordinary requests, of each plan read once."""

    def __init__(self, rates: RateBook) -> None:
        self._rates = rates
        self._uses: dict[tuple[str, str], Use] = {}
        self._asked: dict[int, _Asked] = {}

    def are_steady(self, provider: str, model: str, start: datetime, end: datetime) -> bool:
        """Whether one price holds from start until before end."""
        return self._rates.is_steady(self._use(provider, model), start, end)

    def at(self, provider: str, model: str, moment: datetime) -> _Asked:
        """The price of a moment."""
        plan = self._rates.plan(self._use(provider, model), moment, 0)
        found = self._asked.get(id(plan))  # it stays as long as what was read of it
        if found is None:
            prices = prices_of(plan)
            found = self._asked[id(plan)] = _Asked(
                plan=plan,
                currency=plan.currency,
                input=prices.input if prices else None,
                has_read=_has_own(plan, _READ),
                has_write=_has_own(plan, _WRITE),
            )
        return found

    def _use(self, provider: str, model: str) -> Use:
        key = provider, model
        if key not in self._uses:
            self._uses[key] = Use(provider=provider, response_model=model)
        return self._uses[key]


def _has_own(plan: Plan, units: tuple[str, ...]) -> bool:
    return any(unit in plan.prices and plan.prices[unit].tiers for unit in units)


def _amount(tokens: int, price_per_mtok: Decimal) -> Decimal:
    return EXACT.multiply(Decimal(tokens), price_per_mtok).scaleb(_MTOK_PLACES, EXACT)
