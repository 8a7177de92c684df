"""What the query layer says of a book: the other side of the comparison, and the only one that is ours."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.utils import timezone

from accounting.models import Organization
from accounting.queries.filters import UsageFilter, usage_filter
from accounting.queries.sessions import session_table
from accounting.queries.spend import usage_table, usage_totals
from accounting.queries.totals import Totals

PURPOSES = ("usage", "benchmark")


@dataclass(frozen=True, kw_only=True)
class Told:
    """Requests, errors and kinds of tokens, over everything and by session; ratios of sessions."""

    sums: tuple[int, ...]
    sessions: dict[str, tuple[int, ...]]
    ratios: dict[str, Fraction | None]


def asked(organization: Organization, **params: str) -> UsageFilter:
    """The filter of all time with these parameters."""
    params = {"from": "2020-01-01", "to": "2100-01-01", **params}
    lists = {name: [value] for name, value in params.items()}
    return usage_filter(lists, organization, timezone.now())


def told(organization: Organization) -> Told:
    """What the books say of all that was ever posted, benchmarks too."""
    every = [sums_of(usage_totals(asked(organization, purpose=name))) for name in PURPOSES]
    sessions = [
        row
        for name in PURPOSES
        for row in session_table(asked(organization, purpose=name), limit=10_000).rows
    ]
    return Told(
        sums=tuple(map(sum, zip(*every, strict=True))),
        sessions={row.session_id: sums_of(row.totals) for row in sessions},
        ratios={row.session_id: row.totals.input_output_ratio for row in sessions},
    )


def costs_by_model(organization: Organization, **params: str) -> dict[tuple[str, str], Any]:
    """Model and currency -> what was charged, of usage."""
    table = usage_table(asked(organization, group="model", **params))
    return {
        (row.group.value, cost.currency): cost.amount
        for row in table.rows
        if row.group
        for cost in row.totals.costs
    }


def sums_of(totals: Totals) -> tuple[int, ...]:
    """In the order of the recomputation's sums; what is unknown adds nothing."""
    return (
        totals.requests,
        totals.errors,
        totals.input_tokens or 0,
        totals.cache_read_input_tokens or 0,
        totals.cache_write_input_tokens or 0,
        totals.output_tokens or 0,
        totals.reasoning_output_tokens or 0,
    )
