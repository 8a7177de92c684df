"""What looks wrong about the rows that a change has just put into a book."""

from collections.abc import Iterable
from fractions import Fraction

from accounting.domain.price_lints import Finding, findings
from accounting.models import PriceBook, PriceVersion, Rate
from accounting.services.price_rows import MultiplierRow, RateRow
from accounting.services.rate_changes import FEW_MODELS, row_of


def findings_of(
    book: PriceBook, version: PriceVersion, rows: Iterable[RateRow | MultiplierRow]
) -> list[Finding]:
    """The doubts about the rates that a version added to a book, beside those that stand there.

    Two statements, inside the transaction of the change.
    """
    models = {row.model for row in rows if isinstance(row, RateRow)}
    if not models:
        return []
    stored = Rate.objects.filter(book=book, superseded_version=None)
    if len(models) <= FEW_MODELS:
        stored = stored.filter(model__name__in=models - {""}) | stored.filter(model=None)
    pairs = [
        (row, row_of(row)) for row in stored.select_related("model").prefetch_related("tier_rows")
    ]
    new = {id(value) for row, value in pairs if row.added_version_id == version.pk}
    if not new:
        return []
    values = [value for _, value in pairs if isinstance(value, RateRow)]
    return findings(values, is_new=lambda row: id(row) in new, listed=_listed(models))


def _listed(models: set[str]) -> dict[tuple[str, str, str], Fraction]:
    """The built-in list's price of one, newest first kept, under the plainest conditions."""
    rows = Rate.objects.filter(
        book__organization=None,
        superseded_version=None,
        effective_to=None,
        input_gt=None,
        window_zone="",
        conditions={},
    )
    if len(models) <= FEW_MODELS:
        rows = rows.filter(model__name__in=models - {""})
    return {
        (provider.lower(), name.lower(), unit): Fraction(price) / per
        for provider, name, unit, price, per in rows.filter(book__currency="USD").values_list(
            "model__provider", "model__name", "unit", "price", "per"
        )
    }
