"""What every answer shows for each of its rows and for the whole: sums, unknowns beside them, ratios."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from operator import itemgetter
from typing import Any

from django.db.models import Sum

from accounting.domain.money import EXACT
from accounting.domain.ratios import ratio
from accounting.domain.values import quick
from accounting.models.rollups import SUMMED_AMOUNTS, SUMMED_COUNTS

COUNTS = (
    "parts",
    "requests",
    "errors",
    "cache_known_input_tokens",
    "cache_known_read_tokens",
    "unpriced_requests",
    "unpriced_tokens",
    "assumed_requests",
    "cost_base_unknown",
    "credits_unknown",
)
PARTS = ("input", "cache_read", "cache_write", "output", "other")
#: The columns that totals_of reads the sums of, each as sum_<name>.
SUM_NAMES = (
    *COUNTS,
    *SUMMED_COUNTS,
    *(f"known_{name}" for name in SUMMED_COUNTS),
    *SUMMED_AMOUNTS,
    "corrections",
)
#: Columns of sums that are whole numbers, and those that are money or credits.
AMOUNT_COLUMNS = tuple(f"sum_{name}" for name in (*SUMMED_AMOUNTS, "corrections"))
COUNT_COLUMNS = tuple(
    column for name in SUM_NAMES if (column := f"sum_{name}") not in {*AMOUNT_COLUMNS}
)
#: Field of Totals -> its column; and of token kinds also the column that says whether it is known.
_COUNTED = tuple((name, f"sum_{name}") for name in COUNTS if name != "parts")
_KINDS = tuple((name, f"sum_{name}", f"sum_known_{name}") for name in SUMMED_COUNTS)


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What was spent in one currency, and its parts, which add up to amount.

    corrections: what of amount was booked for events of months that are closed.
    """

    currency: str
    amount: Decimal
    input: Decimal
    cache_read: Decimal
    cache_write: Decimal
    output: Decimal
    other: Decimal
    corrections: Decimal = Decimal(0)


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Sums over some usage.

    A token kind is None where nobody reported it: unknown, not 0. costs: one for each currency in
    order of its code, never added to each other, empty while nothing is priced. credits and
    cost_base (the cost in the organization's currency) leave out as many priced parts as
    credits_unknown and cost_base_unknown say, and are None where that is all of them;
    cost_base_currencies are those that are in it: each but the organization's own was converted, at
    the rates of its days. What is in no
    cost at all is counted by unpriced_requests and unpriced_tokens.
    """

    requests: int = 0
    errors: int = 0
    input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None
    cache_write_1h_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_output_tokens: int | None = None
    web_search_requests: int | None = None
    cache_known_input_tokens: int = 0
    cache_known_read_tokens: int = 0
    costs: tuple[Cost, ...] = ()
    cost_base: Decimal | None = None
    cost_base_unknown: int = 0
    cost_base_currencies: tuple[str, ...] = ()
    credits: Decimal | None = None
    credits_unknown: int = 0
    unpriced_requests: int = 0
    unpriced_tokens: int = 0
    assumed_requests: int = 0

    @property
    def uncached_input_tokens(self) -> int | None:
        """Input neither read from nor written to a cache."""
        if self.input_tokens is None:
            return None
        cached = (self.cache_read_input_tokens or 0) + (self.cache_write_input_tokens or 0)
        return self.input_tokens - cached

    @property
    def cache_hit_rate(self) -> Fraction | None:
        """Cache reads / input of the parts that report both; None where none does.

        Answers out of a gateway's own cache take no part.
        """
        return ratio(self.cache_known_read_tokens, self.cache_known_input_tokens)

    @property
    def cache_coverage(self) -> Fraction | None:
        """How much of the input the hit rate speaks of; None without input."""
        return ratio(self.cache_known_input_tokens, self.input_tokens)

    @property
    def cache_read_output_ratio(self) -> Fraction | None:
        """Cache reads / output; None while either is unknown or there is no output."""
        return ratio(self.cache_read_input_tokens, self.output_tokens)

    @property
    def input_output_ratio(self) -> Fraction | None:
        """Input / output; None while there is no output."""
        return ratio(self.input_tokens, self.output_tokens)

    @property
    def error_rate(self) -> Fraction | None:
        """Failed requests / all that ended."""
        return ratio(self.errors, self.requests + self.errors)

    @property
    def cost_per_request(self) -> tuple[tuple[str, Fraction], ...]:
        """What one answered request came to in each currency; none while nothing was answered."""
        if not self.requests:
            return ()
        return tuple((cost.currency, Fraction(cost.amount) / self.requests) for cost in self.costs)

    def cost_in(self, currency: str) -> Decimal:
        """What was spent in one currency: 0 where nothing was."""
        return next((cost.amount for cost in self.costs if cost.currency == currency), Decimal(0))


NOTHING = Totals()


def sums() -> dict[str, Sum]:
    """The aggregates that totals_of reads, for a query grouped by currency too."""
    return {f"sum_{name}": Sum(name) for name in SUM_NAMES}


def is_amount(name: str) -> bool:
    """Whether a sum is money or credits; every other one counts."""
    return f"sum_{name}" in AMOUNT_COLUMNS


def totals_of(rows: Iterable[Mapping[str, Any]]) -> Totals:
    """Rows of one group, each with currency and sums(), as one value."""
    found = sorted(rows, key=itemgetter("currency"))
    if not found:
        return NOTHING
    counted = found[0] if len(found) == 1 else _all_counts(found)
    counts: dict[str, Any] = {name: int(counted[column]) for name, column in _COUNTED}
    for name, column, known in _KINDS:
        counts[name] = int(counted[column]) if counted[known] else None
    return Totals(
        **counts,
        costs=tuple(_cost(row) for row in found if row["currency"]),
        cost_base=converted(found, "cost_base"),
        cost_base_currencies=tuple(row["currency"] for row in _known(found, "cost_base")),
        credits=converted(found, "credits"),
    )


def merged_rows(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows of many groups, each with currency and sums(), as one row for each currency."""
    by_currency: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        by_currency[row["currency"]].append(row)
    return [
        {"currency": currency, **_all_counts(found), **_all_amounts(found)}
        for currency, found in by_currency.items()
    ]


def _all_counts(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return {column: int(sum(map(itemgetter(column), rows))) for column in COUNT_COLUMNS}


def _all_amounts(rows: Sequence[Mapping[str, Any]]) -> dict[str, Decimal]:
    return {column: exact_sum(map(itemgetter(column), rows)) for column in AMOUNT_COLUMNS}


def exact_sum(amounts: Iterable[Decimal]) -> Decimal:
    """The amounts added without rounding."""
    return reduce(EXACT.add, amounts, Decimal(0))


def _cost(row: Mapping[str, Any]) -> Cost:
    return Cost(
        currency=row["currency"],
        amount=row["sum_cost"],
        corrections=row["sum_corrections"],
        **{part: row[f"sum_cost_{part}"] for part in PARTS},
    )


def converted(rows: Iterable[Mapping[str, Any]], name: str) -> Decimal | None:
    """One group's sum of cost_base or credits; None where no priced part of it has any."""
    known = _known(rows, name)
    return exact_sum(row[f"sum_{name}"] for row in known) if known else None


def _known(rows: Iterable[Mapping[str, Any]], name: str) -> list[Mapping[str, Any]]:
    """The rows of a currency of which at least a part is in the sum."""
    return [
        row
        for row in rows
        if row["currency"] and (row[f"sum_{name}"] or not row[f"sum_{name}_unknown"])
    ]
