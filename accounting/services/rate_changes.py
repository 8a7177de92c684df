"""Putting rates, multipliers and conversions into their tables, under the lock of prices."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Q

from accounting.domain.rates import Window, conditions_of
from accounting.models import (
    CreditRate,
    FxRate,
    LlmModel,
    PriceBook,
    PriceVersion,
    Rate,
    RateMultiplier,
    VolumeTier,
)
from accounting.queries.rate_rows import tiers_of
from accounting.services.price_rows import (
    AliasRow,
    ConversionRow,
    MatchRow,
    MultiplierRow,
    RateRow,
    checked_row,
)
from accounting.services.timelines import Changed, Timed, Timeline

Models = Mapping[tuple[str, str], int]
#: Up to so many models are looked up by name; for more the whole book is read.
FEW_MODELS = 100


def change_rates(
    book: PriceBook, version: PriceVersion, rows: Iterable[RateRow | MultiplierRow]
) -> Changed:
    """Add rows to a book. Raises BadRateError for rows that contradict themselves or each other."""
    wanted = [checked_row(row) for row in rows]
    models = models_for(wanted)
    changed = Changed()
    for table, kind in ((Rate, RateRow), (RateMultiplier, MultiplierRow)):
        of_kind = [row for row in wanted if type(row) is kind]
        if not of_kind:
            continue
        changed += _change(
            table,
            version,
            of_kind,
            _standing(table, book, {row.model for row in of_kind}),
            lambda row: _columns(row, book, version, models),
        )
    return changed


def change_conversions(
    table: type[CreditRate] | type[FxRate],
    organization_id: int,
    version: PriceVersion,
    rows: Sequence[ConversionRow],
) -> Changed:
    """Add credit or exchange rates to an organization's."""
    what, currency, price = (
        ("kind", "currency", "price")
        if table is CreditRate
        else ("from_currency", "to_currency", "rate")
    )
    standing = [
        (
            stored.pk,
            ConversionRow(
                what=getattr(stored, what),
                currency=getattr(stored, currency),
                price=getattr(stored, price),
                effective_from=stored.effective_from,
                effective_to=stored.effective_to,
            ),
        )
        for stored in table.objects.filter(organization_id=organization_id, superseded_version=None)
    ]
    return _change(
        table,
        version,
        rows,
        standing,
        lambda row: {
            "organization_id": organization_id,
            what: row.what,
            currency: row.currency,
            price: row.price,
            "effective_from": row.effective_from,
            "effective_to": row.effective_to,
            "source": row.source,
            "note": row.note,
            "added_version": version,
        },
    )


def models_for(rows: Iterable[MatchRow]) -> dict[tuple[str, str], int]:
    """The catalog ids of the models that rows name; new models are added to the catalog."""
    return _models({(row.provider, row.model) for row in rows if row.model})


def models_for_aliases(rows: Iterable[AliasRow]) -> dict[tuple[str, str], int]:
    """The catalog ids of the models that aliases mean; new models are added to the catalog."""
    return _models({(row.model_provider, row.model) for row in rows})


def _models(names: set[tuple[str, str]]) -> dict[tuple[str, str], int]:
    LlmModel.objects.bulk_create(
        [LlmModel(provider=provider, name=name) for provider, name in sorted(names)],
        ignore_conflicts=True,
    )
    found = LlmModel.objects.filter(provider__in={provider for provider, _ in names})
    return {(model.provider, model.name): model.pk for model in found}


def _change[R: Timed](
    table: Any,
    version: PriceVersion,
    rows: Iterable[R],
    standing: Iterable[tuple[int, R]],
    columns: Callable[[R], dict[str, Any]],
) -> Changed:
    by_key: dict[tuple[object, ...], list[tuple[int, R]]] = {}
    for pk, row in standing:
        by_key.setdefault(row.key, []).append((pk, row))
    lines: dict[tuple[object, ...], Timeline[R]] = {}
    unchanged = 0
    for row in sorted(rows, key=lambda row: row.effective_from):
        line = lines.get(row.key)
        if line is None:
            line = lines[row.key] = Timeline(by_key.get(row.key, ()))
        unchanged += not line.place(row)
    superseding = [pk for line in lines.values() for pk in line.superseding]
    closing = {pk: end for line in lines.values() for pk, end in line.closing.items()}
    added = [row for line in lines.values() for row in line.added]
    # Superseded first: the rows that follow may start where those did.
    table.objects.filter(pk__in=superseding).update(superseded_version=version)
    for pk, end in closing.items():
        table.objects.filter(pk=pk).update(effective_to=end, closed_version=version)
    stored = table.objects.bulk_create([table(**columns(row)) for row in added], batch_size=1_000)
    _add_tiers(zip(stored, added, strict=True))
    return Changed(
        added=len(added), closed=len(closing), superseded=len(superseding), unchanged=unchanged
    )


def _add_tiers(rows: Iterable[tuple[Any, Timed]]) -> None:
    VolumeTier.objects.bulk_create(
        VolumeTier(rate=stored, mode=row.tiers.mode, above=above, price=price)
        for stored, row in rows
        if isinstance(row, RateRow) and row.tiers
        for above, price in row.tiers.steps
    )


def _standing(table: Any, book: PriceBook, models: set[str]) -> list[tuple[int, Any]]:
    rows = table.objects.filter(book=book, superseded_version=None)
    if len(models) <= FEW_MODELS:
        rows = rows.filter(Q(model__name__in=models) | Q(model=None))
    rows = rows.select_related("model")
    if table is Rate:
        rows = rows.prefetch_related("tier_rows")
    return [(stored.pk, row_of(stored)) for stored in rows]


def _columns(row: Any, book: PriceBook, version: PriceVersion, models: Models) -> dict[str, Any]:
    window = row.window
    columns = {
        "book": book,
        "provider": "" if row.model else row.provider,
        "model_id": models[row.provider, row.model] if row.model else None,
        "unit": row.unit,
        "effective_from": row.effective_from,
        "effective_to": row.effective_to,
        "input_gt": row.input_gt,
        "conditions": dict(row.conditions),
        "window_zone": window.zone if window else "",
        "window_from": window.start if window else None,
        "window_to": window.end if window else None,
        "window_weekdays": window.weekdays if window else None,
        "priority": row.priority,
        "source": row.source,
        "note": row.note,
        "added_version": version,
    }
    if isinstance(row, RateRow):
        return columns | {"price": row.price, "per": row.per}
    return columns | {"factor": row.factor, "stack_group": row.stack_group}


def row_of(stored: Any) -> RateRow | MultiplierRow:
    """A stored rate or multiplier as the row that would make it; its model must be loaded."""
    columns = {
        "provider": stored.model.provider if stored.model else stored.provider,
        "model": stored.model.name if stored.model else "",
        "unit": stored.unit,
        "effective_from": stored.effective_from,
        "effective_to": stored.effective_to,
        "input_gt": stored.input_gt,
        "conditions": conditions_of(stored.conditions),
        "window": (
            Window(
                zone=stored.window_zone,
                start=stored.window_from,
                end=stored.window_to,
                weekdays=stored.window_weekdays,
            )
            if stored.window_zone
            else None
        ),
        "priority": stored.priority,
        "source": stored.source,
        "note": stored.note,
    }
    if isinstance(stored, Rate):
        tiers = tiers_of(stored.tier_rows.all())
        return RateRow(**columns, price=stored.price, per=stored.per, tiers=tiers)
    return MultiplierRow(**columns, factor=stored.factor, stack_group=stored.stack_group)
