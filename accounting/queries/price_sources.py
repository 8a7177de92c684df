"""Where the prices of each book came from, and how long ago."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Max, Q

from accounting.models import Rate

#: A feed that nobody imported again for so long may have changed since.
STALE_AFTER = timedelta(days=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceSource:
    """The rates of one book that came from one source. is_stale: a feed not looked at for a month."""

    book: str
    source: str
    rates: int
    changed_at: datetime
    is_stale: bool


def price_sources(organization_id: int, *, now: datetime) -> list[PriceSource]:
    """By book and source, own ones and the lists for everybody. One statement."""
    rows = (
        Rate.objects.filter(
            Q(book__organization_id=organization_id) | Q(book__organization=None),
            superseded_version=None,
        )
        .values("book__code", "source")
        .annotate(rates=Count("pk"), changed_at=Max("added_version__recorded_at"))
        .order_by("book__code", "source")
    )
    return [
        PriceSource(
            book=row["book__code"],
            source=row["source"],
            rates=row["rates"],
            changed_at=row["changed_at"],
            is_stale=row["source"] not in {"", "page"} and row["changed_at"] < now - STALE_AFTER,
        )
        for row in rows
    ]
