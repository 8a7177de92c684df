"""Rows of the price tables as values of the domain, as one version knew them."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import F, Q, QuerySet

from accounting.domain.rates import Book, Conversion, Multiplier, Rate, Tiers, Window, conditions_of
from accounting.domain.shelves import Alias
from accounting.models import CreditRate, FxRate, ModelAlias, PriceBook, RateMultiplier, VolumeTier
from accounting.models import Rate as RateModel

#: Contract before organization before list.
KIND_RANK = {kind: rank for rank, kind in enumerate(("contract", "organization", "list"))}
_MATCH = (
    "id",
    "book_id",
    F("model__provider"),
    F("model__name"),
    "provider",
    "unit",
    "effective_from",
    "effective_to",
    "closed_version_id",
    "input_gt",
    "conditions",
    "window_zone",
    "window_from",
    "window_to",
    "window_weekdays",
    "priority",
)


def books_of(organization_id: int | None) -> list[Book]:
    """The books an organization owns; those for everybody where it is None."""
    return [
        Book(
            id=book.pk,
            code=book.code,
            currency=book.currency,
            # Among books of one kind a project's come first, then the one made last.
            rank=(
                KIND_RANK[book.kind],
                int(book.organization_id is None),
                int(book.project_id is None),
                -book.pk,
            ),
            project_id=book.project_id,
            parent_id=book.parent_id,
            own=book.organization_id is not None,
        )
        for book in PriceBook.objects.filter(_owned("organization", organization_id))
    ]


def rates_of(organization_id: int | None, version: int) -> list[Rate]:
    """The rates in an organization's books, or in those for everybody, as a version knew them."""
    rows = _known(RateModel.objects.filter(_owned("book__organization", organization_id)), version)
    tiers: dict[int, list[VolumeTier]] = {}
    for tier in VolumeTier.objects.filter(_owned("rate__book__organization", organization_id)):
        tiers.setdefault(tier.rate_id, []).append(tier)
    return [
        Rate(
            **_match(row, version),
            price=row[-2],
            per=row[-1],
            tiers=tiers_of(tiers.get(row[0], ())),
        )
        for row in rows.values_list(*_MATCH, "price", "per")
    ]


def tiers_of(rows: Iterable[VolumeTier]) -> Tiers | None:
    """The tiers of one rate, in any order, as one value; None of none."""
    ordered = sorted(rows, key=lambda tier: tier.above)
    if not ordered:
        return None
    steps = tuple((tier.above, tier.price) for tier in ordered)
    return Tiers(mode=ordered[0].mode, steps=steps)


def multipliers_of(organization_id: int | None, version: int) -> list[Multiplier]:
    """The multipliers in an organization's books, or in those for everybody."""
    rows = _known(
        RateMultiplier.objects.filter(_owned("book__organization", organization_id)), version
    )
    return [
        Multiplier(**_match(row, version), factor=row[-2], stack_group=row[-1])
        for row in rows.values_list(*_MATCH, "factor", "stack_group")
    ]


def aliases_of(organization_id: int | None, version: int) -> list[Alias]:
    """An organization's own aliases, or those for everybody."""
    rows = _known(ModelAlias.objects.filter(_owned("organization", organization_id)), version)
    return [
        Alias(provider=provider, alias=alias, model_provider=seller, model=model)
        for provider, alias, seller, model in rows.values_list(
            "provider", "alias", "model__provider", "model__name"
        )
    ]


def credit_rates_of(organization_id: int, version: int) -> list[Conversion]:
    """What one credit costs, by kind and currency."""
    rows = _known(CreditRate.objects.filter(organization_id=organization_id), version)
    return _conversions(rows, version, "kind", "currency", "price")


def fx_rates_of(organization_id: int, version: int) -> list[Conversion]:
    """What one unit of a currency is worth in another."""
    rows = _known(FxRate.objects.filter(organization_id=organization_id), version)
    return _conversions(rows, version, "from_currency", "to_currency", "rate")


def _owned(field: str, organization_id: int | None) -> Q:
    """Rows of an organization; of nobody in particular, so for everybody, where it is None."""
    if organization_id is None:
        return Q(**{f"{field}__isnull": True})
    return Q(**{f"{field}_id": organization_id})


def _known[Q_: QuerySet[Any]](rows: Q_, version: int) -> Q_:
    """The rows a version knew: added by then and not yet superseded."""
    return rows.filter(
        Q(superseded_version=None) | Q(superseded_version__gt=version),
        added_version__lte=version,
    ).order_by("id")


def _match(row: Sequence[Any], version: int) -> dict[str, Any]:
    # Positions are those of _MATCH. An end that a later version set was not known yet.
    ended_later = row[8] is not None and row[8] > version
    zone = row[11]
    return {
        "id": row[0],
        "book_id": row[1],
        "provider": row[4] if row[2] is None else row[2],
        "model": row[3] or "",
        "unit": row[5],
        "effective_from": row[6],
        "effective_to": None if ended_later else row[7],
        "input_gt": row[9],
        "conditions": conditions_of(row[10]) if row[10] else (),
        "window": (
            Window(zone=zone, start=row[12], end=row[13], weekdays=row[14]) if zone else None
        ),
        "priority": row[15],
    }


def _conversions(
    rows: QuerySet[Any], version: int, what: str, currency: str, price: str
) -> list[Conversion]:
    return [
        Conversion(
            id=row.pk,
            what=getattr(row, what),
            currency=getattr(row, currency),
            price=getattr(row, price),
            effective_from=row.effective_from,
            effective_to=(
                None
                if row.closed_version_id is not None and row.closed_version_id > version
                else row.effective_to
            ),
        )
        for row in rows
    ]
