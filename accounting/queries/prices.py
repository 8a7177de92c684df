"""Which prices hold, and which are missing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Max, OuterRef, Q, QuerySet, Subquery, Sum

from accounting.domain.conversions import Conversions
from accounting.domain.ratebook import RateBook
from accounting.domain.rates import Multiplier, Rate
from accounting.domain.shelves import Alias, Shelf
from accounting.models import Organization, PriceVersion, UsageHour
from accounting.models import Rate as RateModel
from accounting.queries import rate_rows
from accounting.queries.price_rows import PriceRow, price_row, table_order

__all__ = [
    "MissingPrice",
    "PriceRow",
    "loaded_rates",
    "models_without_price",
    "newest_version",
    "price_table_in_force",
    "rates_in_force",
    "rates_of_version",
    "version_on",
]

#: What tells one state of the books from another, even after a rolled-back transaction took a number.
Stamp = tuple[Any, ...]
_loaded: dict[int, tuple[Stamp, RateBook]] = {}
_lists: dict[Stamp, tuple[list[Rate], list[Multiplier], list[Alias]]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPrice:
    """A model that was used without a price for everything it used.

    benchmark_requests: those of unpriced_requests that benchmarks made, which pages of usage leave out.
    """

    provider: str
    model: str
    requests: int
    unpriced_requests: int
    unpriced_tokens: int
    last_hour: datetime
    benchmark_requests: int = 0


def loaded_rates(organization_id: int) -> RateBook:
    """The organization's prices at their newest committed version, ready to rate.

    One query while nothing changed; then the process keeps what it has. The list for everybody is
    read once for all organizations.
    """
    stamp = _stamp(organization_id)
    known = _loaded.get(organization_id)
    if known is not None and known[0] == stamp:
        return known[1]
    book = _load(organization_id, stamp)
    _loaded[organization_id] = (stamp, book)
    return book


def rates_of_version(organization_id: int, version: int) -> RateBook:
    """The prices as an earlier version knew them, to explain a cost to the digit."""
    currency, kind, *_ = _stamp(organization_id)
    return _assemble(organization_id, version, currency, kind, _read_lists(version))


def newest_version(organization_id: int) -> int:
    """The number of the version that holds now; 0 before the first."""
    newest = _versions(organization_id).aggregate(newest=Max("number"))["newest"]
    return newest or 0


def version_on(organization_id: int, end_of_day: datetime) -> int:
    """The number of the last version committed before a moment; 0 before the first."""
    newest = _versions(organization_id).filter(recorded_at__lt=end_of_day)
    return newest.aggregate(newest=Max("number"))["newest"] or 0


def rates_in_force(organization_id: int, at: datetime) -> QuerySet[RateModel]:
    """The rates in force at a moment in the organization's books and the lists, in no order."""
    return RateModel.objects.filter(
        Q(book__organization_id=organization_id) | Q(book__organization_id=None),
        Q(effective_to=None) | Q(effective_to__gt=at),
        effective_from__lte=at,
        superseded_version=None,
    )


def price_table_in_force(
    organization_id: int,
    *,
    at: datetime,
    book: str = "",
    provider: str = "",
    model: str = "",
) -> list[PriceRow]:
    """The rates in force at a moment in the organization's books and the lists for everybody.

    By book, own ones first, then provider, model and unit. model is any part of a name.
    Two queries.
    """
    rows = rates_in_force(organization_id, at)
    if book:
        rows = rows.filter(book__code=book)
    if provider:
        rows = rows.filter(Q(provider=provider) | Q(model__provider=provider))
    if model:
        rows = rows.filter(model__name__icontains=model)
    loaded = rows.select_related("book", "model").prefetch_related("tier_rows")
    return [
        price_row(row, rate_rows.tiers_of(row.tier_rows.all()))
        for row in sorted(loaded, key=table_order)
    ]


def models_without_price(
    organization_id: int, *, start: datetime | None = None, end: datetime | None = None
) -> list[MissingPrice]:
    """Models used in a span with something unpriced, those with the most unpriced requests first."""
    hours = UsageHour.objects.of(organization_id)
    if start is not None:
        hours = hours.filter(hour__gte=start)
    if end is not None:
        hours = hours.filter(hour__lt=end)
    sums = (
        hours.values("provider", "model")
        .annotate(
            total_requests=Sum("requests"),
            total_unpriced=Sum("unpriced_requests"),
            total_tokens=Sum("unpriced_tokens"),
            total_benchmark=Sum("unpriced_requests", filter=Q(purpose="benchmark"), default=0),
            last_hour=Max("hour", filter=Q(unpriced_requests__gt=0) | Q(unpriced_tokens__gt=0)),
        )
        .filter(Q(total_unpriced__gt=0) | Q(total_tokens__gt=0))
        .order_by("-total_unpriced", "-total_tokens", "provider", "model")
    )
    return [
        MissingPrice(
            provider=row["provider"],
            model=row["model"],
            requests=row["total_requests"],
            unpriced_requests=row["total_unpriced"],
            unpriced_tokens=row["total_tokens"],
            last_hour=row["last_hour"],
            benchmark_requests=row["total_benchmark"],
        )
        for row in sums
    ]


def _versions(organization_id: int | None) -> Any:
    return PriceVersion.objects.filter(Q(organization_id=organization_id) | Q(organization_id=None))


def _stamp(organization_id: int) -> Stamp:
    """(currency, credit kind, newest version, when, newest list version, when); one query."""
    own = PriceVersion.objects.filter(
        Q(organization_id=OuterRef("pk")) | Q(organization_id=None)
    ).order_by("-number")
    lists = PriceVersion.objects.filter(organization__isnull=True).order_by("-number")
    stamp: Stamp = Organization.objects.values_list(
        "currency",
        "credit_kind",
        Subquery(own.values("number")[:1]),
        Subquery(own.values("recorded_at")[:1]),
        Subquery(lists.values("number")[:1]),
        Subquery(lists.values("recorded_at")[:1]),
    ).get(pk=organization_id)
    return stamp


def _load(organization_id: int, stamp: Stamp) -> RateBook:
    currency, kind, version, _, *list_stamp = stamp
    key = tuple(list_stamp)
    # Threads share the cache: what is returned is read once, whatever another one clears meanwhile.
    lists = _lists.get(key)
    if lists is None:
        lists = _read_lists(version or 0)
        _lists.clear()
        _lists[key] = lists
    return _assemble(organization_id, version or 0, currency, kind, lists)


def _read_lists(version: int) -> tuple[list[Rate], list[Multiplier], list[Alias]]:
    return (
        rate_rows.rates_of(None, version),
        rate_rows.multipliers_of(None, version),
        rate_rows.aliases_of(None, version),
    )


def _assemble(
    organization_id: int,
    version: int,
    currency: str,
    kind: str,
    lists: tuple[list[Rate], list[Multiplier], list[Alias]],
) -> RateBook:
    books = rate_rows.books_of(organization_id) + rate_rows.books_of(None)
    rates = _by_book(rate_rows.rates_of(organization_id, version) + lists[0])
    factors = _by_book(rate_rows.multipliers_of(organization_id, version) + lists[1])
    # An organization's own alias comes last and so replaces the list's.
    aliases = lists[2] + rate_rows.aliases_of(organization_id, version)
    shelves = [
        Shelf(book, rates.get(book.id, ()), factors.get(book.id, ()), aliases) for book in books
    ]
    conversions = Conversions(
        currency=currency,
        kind=kind,
        credit=rate_rows.credit_rates_of(organization_id, version),
        fx=rate_rows.fx_rates_of(organization_id, version),
    )
    return RateBook(version, shelves, conversions)


def _by_book[R: (Rate, Multiplier)](rows: Sequence[R]) -> dict[int, list[R]]:
    found: dict[int, list[R]] = {}
    for row in rows:
        found.setdefault(row.book_id, []).append(row)
    return found
