"""Every price that a model had or has, with what replaced it."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from accounting.models import Rate
from accounting.queries.price_rows import PriceRow, price_row, table_order

MOST_ROWS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoricPrice:
    """A rate, who entered it and when, and which later version took its place, None while it stands."""

    row: PriceRow
    recorded_at: datetime
    author: str
    reason: str
    superseded_by: int | None


def price_history(organization_id: int, provider: str, model: str) -> list[HistoricPrice]:
    """The rates of one model in the organization's books and the lists for everybody.

    By book, unit and conditions, within these the newest first. One query.
    """
    rows = Rate.objects.filter(
        Q(book__organization_id=organization_id) | Q(book__organization_id=None),
        model__provider=provider,
        model__name=model,
    ).select_related("book", "model", "added_version")
    newest_first = sorted(rows[:MOST_ROWS], key=lambda row: row.effective_from, reverse=True)
    ordered = sorted(newest_first, key=lambda row: table_order(row)[:-1])
    return [
        HistoricPrice(
            row=price_row(row),
            recorded_at=row.added_version.recorded_at,
            author=row.added_version.user,
            reason=row.added_version.reason,
            superseded_by=row.superseded_version_id,
        )
        for row in ordered
    ]
