"""The table of prices in force, a page of models at a time: the built-in list has thousands of rates."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.db.models.functions import Coalesce

from accounting.queries.price_rows import PriceRow, price_row, table_order
from accounting.queries.prices import rates_in_force
from accounting.queries.rate_rows import KIND_RANK, tiers_of

MODELS_ON_PAGE = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class PricePage:
    """Some models' rates. rows: in the table's order; models: how many there are on all pages.

    number: of this page, from 1 on; first, last: the places of its models, 0 where there are none.
    """

    rows: tuple[PriceRow, ...]
    models: int
    number: int
    first: int
    last: int

    @property
    def before(self) -> int:
        """The number of the page before."""
        return self.number - 1

    @property
    def after(self) -> int:
        """The number of the page after."""
        return self.number + 1

    @property
    def has_next(self) -> bool:
        """Whether models come after these."""
        return self.last < self.models


def price_page(
    organization_id: int, *, at: datetime, model: str = "", number: int = 1
) -> PricePage:
    """A page of the rates in force in the organization's books and the lists, own ones first.

    model: any part of a name. number: beyond the last page it is the last. Three statements, of
    which only the first, of names alone, looks at all rates.
    """
    rates = rates_in_force(organization_id, at)
    if model:
        rates = rates.filter(model__name__icontains=model)
    found = (
        rates.order_by()
        .values_list(
            "book__organization_id",
            "book__kind",
            "book__code",
            Coalesce("model__provider", "provider"),
            "model__name",
            "book_id",
            "model_id",
        )
        .distinct()
    )
    places = sorted(found, key=_order)
    pages = max(1, -(-len(places) // MODELS_ON_PAGE))
    number = max(1, min(number, pages))
    start = (number - 1) * MODELS_ON_PAGE
    shown = places[start : start + MODELS_ON_PAGE]
    wanted = {(book, chosen, "" if chosen else provider) for *_, provider, _, book, chosen in shown}
    books, models = {place[0] for place in wanted}, {place[1] for place in wanted}
    loaded = (
        rates.filter(Q(model_id__in=models - {None}) | Q(model_id=None), book_id__in=books)
        .select_related("book", "model")
        .prefetch_related("tier_rows")
    )
    kept = [
        row
        for row in loaded
        if (row.book_id, row.model_id, "" if row.model_id else row.provider) in wanted
    ]
    return PricePage(
        rows=tuple(
            price_row(row, tiers_of(row.tier_rows.all())) for row in sorted(kept, key=table_order)
        ),
        models=len(places),
        number=number,
        first=start + 1 if shown else 0,
        last=start + len(shown),
    )


def _order(place: Sequence[Any]) -> tuple[Any, ...]:
    """As table_order: own books first, then by kind of book, book, provider and model."""
    owner, kind, book, provider, model, *_ = place
    return (owner is None, KIND_RANK[kind], book, provider, model or "")
