"""The rates in force, as one price version knew them, a page at a time."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce

from accounting.models import Rate
from accounting.queries.keysets import behind
from accounting.queries.price_rows import PriceRow, price_row
from accounting.queries.rate_rows import KIND_RANK, tiers_of

_LISTS_RANK = 10
_ORDER = ("rank", "book__code", "sold_by", "named", "unit", "pk")
#: Rank of the book, its code, provider, model, unit, and the rate's id.
type RateKey = tuple[int, str, str, str, str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RateFilter:
    """Which rates are asked for; '' is any. model: its whole name, or with part any part of it.

    only: the slug of the one project whose own books may be seen, beside those of all projects.
    """

    book: str = ""
    provider: str = ""
    model: str = ""
    part: str = ""
    currency: str = ""
    only: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRate:
    """A rate and its place in the list."""

    row: PriceRow
    key: RateKey


@dataclass(frozen=True, slots=True, kw_only=True)
class RatePage:
    """One page of rates in order of _ORDER: own books first, then those for everybody."""

    rates: tuple[ListedRate, ...]
    has_more: bool


def rate_page(
    organization_id: int,
    asked: RateFilter,
    *,
    at: datetime,
    version: int,
    limit: int,
    after: RateKey | None = None,
) -> RatePage:
    """The rates that held at a moment, as a price version knew them. Two statements."""
    page = behind(_ranked(_rates(organization_id, asked, at, version)), _ORDER, after)
    found = list(
        page.order_by(*_ORDER)
        .select_related("book", "model")
        .prefetch_related("tier_rows")[: limit + 1]
    )
    return RatePage(
        rates=tuple(_listed(rate, version) for rate in found[:limit]), has_more=len(found) > limit
    )


def _rates(organization_id: int, asked: RateFilter, at: datetime, version: int) -> QuerySet[Rate]:
    known = Q(superseded_version=None) | Q(superseded_version__gt=version)
    # An end that a later version set was not known yet.
    lasts = Q(effective_to=None) | Q(effective_to__gt=at) | Q(closed_version__gt=version)
    rates = Rate.objects.filter(
        Q(book__organization_id=organization_id) | Q(book__organization_id=None),
        known,
        lasts,
        added_version__lte=version,
        effective_from__lte=at,
    )
    if asked.book:
        rates = rates.filter(book__code=asked.book)
    if asked.provider:
        rates = rates.filter(
            Q(model=None, provider=asked.provider) | Q(model__provider=asked.provider)
        )
    if asked.model:
        rates = rates.filter(model__name=asked.model)
    if asked.part:
        rates = rates.filter(model__name__icontains=asked.part)
    if asked.currency:
        rates = rates.filter(book__currency=asked.currency)
    if asked.only:
        rates = rates.filter(Q(book__project=None) | Q(book__project__slug=asked.only))
    return rates


def _ranked(rates: QuerySet[Rate]) -> QuerySet[Rate]:
    kinds = [When(book__kind=kind, then=Value(rank)) for kind, rank in KIND_RANK.items()]
    lists = [
        When(book__organization=None, book__kind=kind, then=Value(_LISTS_RANK + rank))
        for kind, rank in KIND_RANK.items()
    ]
    return rates.annotate(
        rank=Case(*lists, *kinds, output_field=IntegerField()),
        sold_by=Coalesce("model__provider", "provider"),
        named=Coalesce("model__name", Value("")),
    )


def _listed(rate: Any, version: int) -> ListedRate:
    if rate.closed_version_id is not None and rate.closed_version_id > version:
        rate.effective_to = None
    return ListedRate(
        row=price_row(rate, tiers_of(rate.tier_rows.all())),
        key=(rate.rank, rate.book.code, rate.sold_by, rate.named, rate.unit, rate.pk),
    )
