"""What a credit costs and cost, by kind and currency, as one price version knew it."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Q

from accounting.models import CreditRate
from accounting.queries.keysets import behind

_ORDER = ("kind", "currency", "effective_from", "pk")
#: Kind, currency, from when it holds, and the rate's id.
type CreditRateKey = tuple[str, str, datetime, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedCreditRate:
    """The price of one credit over a span; effective_to is exclusive, None: still in force."""

    id: int
    kind: str
    currency: str
    price: Decimal
    effective_from: datetime
    effective_to: datetime | None
    version: int

    @property
    def key(self) -> CreditRateKey:
        """What the next page begins behind."""
        return self.kind, self.currency, self.effective_from, self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditRatePage:
    """One page of rates by kind, currency and time."""

    rates: tuple[DatedCreditRate, ...]
    has_more: bool


def credit_rate_page(
    organization_id: int,
    *,
    version: int,
    limit: int,
    after: CreditRateKey | None = None,
    currency: str = "",
) -> CreditRatePage:
    """An organization's credit rates, past and coming ones too. One statement."""
    rates = CreditRate.objects.filter(
        Q(superseded_version=None) | Q(superseded_version__gt=version),
        organization_id=organization_id,
        added_version__lte=version,
    )
    if currency:
        rates = rates.filter(currency=currency)
    found = list(behind(rates, _ORDER, after).order_by(*_ORDER)[: limit + 1])
    return CreditRatePage(
        rates=tuple(_dated(rate, version) for rate in found[:limit]), has_more=len(found) > limit
    )


def _dated(rate: CreditRate, version: int) -> DatedCreditRate:
    ended_later = rate.closed_version_id is not None and rate.closed_version_id > version
    return DatedCreditRate(
        id=rate.pk,
        kind=rate.kind,
        currency=rate.currency,
        price=rate.price,
        effective_from=rate.effective_from,
        effective_to=None if ended_later else rate.effective_to,
        version=rate.added_version_id,
    )
