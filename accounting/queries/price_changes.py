"""From which moment on prices say something else than an earlier version of them did."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Min, Q

from accounting.domain.rates import BEGINNING
from accounting.models import CreditRate, FxRate, ModelAlias, PriceBook, Rate, RateMultiplier


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesSince:
    """The first moments at which anything differs; None where nothing does.

    prices: of rates, multipliers and names of models; conversions: of credit and exchange rates.
    """

    prices: datetime | None
    conversions: datetime | None

    @property
    def start(self) -> datetime | None:
        """The first moment of both."""
        return _earliest(self.prices, self.conversions)


def changes_since(organization_id: int, version: int) -> ChangesSince:
    """Where an organization's newest prices differ from those of a version; six queries.

    Names have no dates, and a book's parents none of their own: they may differ from the beginning.
    """
    books = Q(book__organization_id=organization_id) | Q(book__organization_id=None)
    everybodys = Q(organization_id=organization_id) | Q(organization_id=None)
    names = ModelAlias.objects.filter(everybodys, _moved(version))
    parents = PriceBook.objects.filter(everybodys, parent__isnull=False)
    return ChangesSince(
        prices=_earliest(
            BEGINNING if names.exists() or parents.exists() else None,
            *(_first(table.objects.filter(books), version) for table in (Rate, RateMultiplier)),
        ),
        conversions=_earliest(
            *(
                _first(table.objects.filter(organization_id=organization_id), version)
                for table in (CreditRate, FxRate)
            )
        ),
    )


def _first(rows: Any, version: int) -> datetime | None:
    """The first moment at which rows of a dated table came, went, or ended since a version."""
    found = rows.aggregate(
        moved=Min("effective_from", filter=_moved(version)),
        ended=Min("effective_to", filter=Q(closed_version__gt=version)),
    )
    return _earliest(*found.values())


def _moved(version: int) -> Q:
    return Q(added_version__gt=version) | Q(superseded_version__gt=version)


def _earliest(*moments: datetime | None) -> datetime | None:
    return min((at for at in moments if at is not None), default=None)
