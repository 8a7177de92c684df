"""Exchange rates as people read them, and the currencies that need one."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Q, Sum

from accounting.models import FxRate, UsageDayAttribute
from accounting.queries.grammar import EVERY


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeRate:
    """What one unit of a currency is worth in another since a moment; source '' where nobody said."""

    source_currency: str
    currency: str
    rate: Decimal
    effective_from: datetime
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unconverted:
    """A currency in which there are costs that no rate brings into the organization's own.

    parts: how many priced requests, or parts of one.
    """

    currency: str
    parts: int


def exchange_rates(organization_id: int, *, at: datetime) -> list[ExchangeRate]:
    """The rates in force at a moment, by currency. One query."""
    rows = FxRate.objects.filter(
        Q(effective_to=None) | Q(effective_to__gt=at),
        organization_id=organization_id,
        effective_from__lte=at,
        superseded_version=None,
    ).order_by("from_currency", "to_currency", "-effective_from")
    return [
        ExchangeRate(
            source_currency=row.from_currency,
            currency=row.to_currency,
            rate=row.rate,
            effective_from=row.effective_from,
            source=row.source,
        )
        for row in rows
    ]


def unconverted_currencies(organization_id: int) -> list[Unconverted]:
    """Currencies with costs that are in no sum of the organization's currency, most costs first.

    One query.
    """
    rows = (
        UsageDayAttribute.objects.of(organization_id)
        .filter(attribute=EVERY)
        .exclude(currency="")
        .values("currency")
        .annotate(parts=Sum("cost_base_unknown"))
        .filter(parts__gt=0)
        .order_by("-parts", "currency")
    )
    return [Unconverted(currency=row["currency"], parts=row["parts"]) for row in rows]
