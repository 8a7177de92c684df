"""What a monitoring system counts: each organization's usage since its books began, and their state."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Min, OuterRef, Subquery, Sum

from accounting.models import Import, Organization, UsageHour
from accounting.models.imports import LINE_COUNTERS, UNFINISHED_IMPORTS
from accounting.queries.filters import usage_filter
from accounting.queries.grouping import grouped
from accounting.queries.spend import members_of
from accounting.queries.totals import Totals

type Labels = tuple[tuple[str, str], ...]
type Values = Callable[[Totals], Iterable[tuple[Labels, Decimal | int | None]]]

#: How groups of usage are told apart.
DIMENSIONS = ("project", "provider", "model")
#: Kinds of tokens that add up -> the count of totals.
_KINDS = {
    "uncached_input": "uncached_input_tokens",
    "cache_read": "cache_read_input_tokens",
    "cache_write": "cache_write_input_tokens",
    "output": "output_tokens",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One series of a metric and what it stands at."""

    labels: Labels
    value: Decimal | int


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A gauge: repricing, undoing and merging make sums of the books smaller, as no counter may be.

    Unknown values have no sample.
    """

    name: str
    meaning: str
    samples: tuple[Sample, ...]


def books_metrics(now: datetime) -> tuple[Metric, ...]:
    """Every metric of every organization, however many series that is.

    Three statements for each organization, and three for all.
    """
    organizations = list(Organization.objects.order_by("slug"))
    groups = [group for one in organizations for group in _groups(one, now)]
    return tuple(
        Metric(
            name=f"tallybook_{name}",
            meaning=meaning,
            samples=tuple(_samples(groups, values)),
        )
        for name, meaning, values in _OF_USAGE
    ) + tuple(_states({one.pk: one.slug for one in organizations}, now))


def _groups(organization: Organization, now: datetime) -> list[tuple[Labels, Totals]]:
    wanted = usage_filter({"range": ["all"]}, organization, now)
    rows = grouped(wanted, DIMENSIONS).rows
    projects = members_of(organization.pk, "project", {key[0] for key, _ in rows})
    return [
        (
            (
                ("organization", organization.slug),
                ("project", projects[project].value),
                ("provider", str(provider)),
                ("model", str(model)),
            ),
            totals,
        )
        for (project, provider, model), totals in rows
    ]


def _samples(groups: Sequence[tuple[Labels, Totals]], values: Values) -> Iterator[Sample]:
    for labels, totals in groups:
        for more, value in values(totals):
            if value is not None:
                yield Sample(labels=(*labels, *more), value=value)


def _tokens(totals: Totals) -> Iterator[tuple[Labels, int | None]]:
    for kind, name in _KINDS.items():
        yield (("kind", kind),), getattr(totals, name)


def _costs(totals: Totals) -> Iterator[tuple[Labels, Decimal]]:
    for cost in totals.costs:
        yield (("currency", cost.currency),), cost.amount


def _one(name: str) -> Values:
    return lambda totals: [((), getattr(totals, name))]


_OF_USAGE: Sequence[tuple[str, str, Values]] = (
    ("requests", "Requests that ended well.", _one("requests")),
    ("errors", "Requests that ended in an error.", _one("errors")),
    ("tokens", "Tokens by kind; kinds add up.", _tokens),
    ("cost", "Cost by currency; what is unpriced is in none.", _costs),
    ("credits", "Cost in credits.", _one("credits")),
    ("unpriced_requests", "Requests of which something has no price.", _one("unpriced_requests")),
    ("unpriced_tokens", "Tokens without a price.", _one("unpriced_tokens")),
)


def _states(slugs: dict[int, str], now: datetime) -> Iterator[Metric]:
    """Of imports and of the books as a whole."""
    imports = Import.objects.filter(organization_id__in=slugs).values("organization_id")
    waiting = {
        row["organization_id"]: int((now - row["oldest"]).total_seconds())
        for row in imports.filter(state__in=UNFINISHED_IMPORTS).annotate(oldest=Min("received_at"))
    }
    yield _of_books(
        "ingest_lag_seconds",
        "Age of the oldest import that is not read yet, 0 without one.",
        {slug: max(0, waiting.get(pk, 0)) for pk, slug in slugs.items()},
    )
    # One look into an index for each organization, where a maximum by group would read all hours.
    hours = UsageHour.objects.filter(organization_id=OuterRef("pk")).order_by("-hour")
    newest = Organization.objects.filter(pk__in=slugs).annotate(
        at=Subquery(hours.values("hour")[:1])
    )
    yield _of_books(
        "newest_usage_timestamp_seconds",
        "Start of the last hour with usage.",
        {slugs[pk]: int(at.timestamp()) for pk, at in newest.values_list("pk", "at") if at},
    )
    outcomes = [name for name in LINE_COUNTERS if name != "lines"]
    sums = {f"sum_{name}": Sum(name) for name in outcomes}
    lines: Iterable[Mapping[str, Any]] = imports.annotate(**sums)
    yield Metric(
        name="tallybook_import_lines",
        meaning="Lines of imports by what became of them.",
        samples=tuple(
            Sample(
                labels=(("organization", slugs[row["organization_id"]]), ("outcome", name)),
                value=int(row[f"sum_{name}"]),
            )
            for row in lines
            for name in outcomes
        ),
    )


def _of_books(name: str, meaning: str, values: dict[str, int]) -> Metric:
    return Metric(
        name=f"tallybook_{name}",
        meaning=meaning,
        samples=tuple(
            Sample(labels=(("organization", slug),), value=value)
            for slug, value in sorted(values.items())
        ),
    )
