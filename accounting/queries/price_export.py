"""A book as the file that would make it: the same names that `prices import` takes."""

import csv
import io
import json
from typing import Any

from django.db.models import F, Q

from accounting.domain.money import plain
from accounting.models import PriceBook, Rate, RateMultiplier
from accounting.queries.rate_rows import tiers_of

#: Columns of a CSV export.
COLUMNS = (
    "book", "currency", "parent", "kind", "name", "project",
    "provider", "model", "unit", "price", "per", "from", "to", "input_gt",
    "service_tier", "processing", "region", "speed", "route",
    "window_zone", "window_from", "window_to", "window_weekdays",
    "priority", "tier_mode", "tiers", "source", "note",
)  # fmt: skip
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class NoSuchBookError(LookupError):
    """The organization has no book of that code, and neither has everybody."""


class NotInCsvError(ValueError):
    """A book holds what a CSV of rates can't say."""


def exported_json(organization_id: int, code: str) -> str:
    """One book as JSON, everything that stands in it, past and future rows too.

    Raises NoSuchBookError. Four statements.
    """
    book = _book(organization_id, code)
    document: dict[str, Any] = {"book": _book_fields(book, "code"), "rates": _rates(book)}
    multipliers = _multipliers(book)
    if multipliers:
        document["multipliers"] = multipliers
    return json.dumps(document, ensure_ascii=False, indent=1)


def exported_csv(organization_id: int, code: str) -> str:
    """One book as CSV, one rate a row. Raises NoSuchBookError, and NotInCsvError for multipliers."""
    book = _book(organization_id, code)
    if RateMultiplier.objects.filter(book=book, superseded_version=None).exists():
        raise NotInCsvError(f"book {code} has multipliers, which only JSON can hold")
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for rate in _rates(book):
        window = rate.pop("window", {})
        tiers = rate.pop("tiers", ())
        writer.writerow(
            {
                **_book_fields(book, "book"),
                **rate,
                **{f"window_{name}": value for name, value in window.items()},
                "tiers": "; ".join(f"{step['above']}:{step['price']}" for step in tiers),
            }
        )
    return out.getvalue()


def _book(organization_id: int, code: str) -> PriceBook:
    books = PriceBook.objects.select_related("parent", "project").filter(
        Q(organization_id=organization_id) | Q(organization=None), code=code
    )
    book = books.order_by(F("organization").asc(nulls_last=True)).first()
    if book is None:
        raise NoSuchBookError(code)
    return book


def _book_fields(book: PriceBook, code: str) -> dict[str, str]:
    fields = {
        code: book.code,
        "currency": book.currency,
        "parent": book.parent.code if book.parent else "",
        "kind": book.kind,
        "name": book.name,
        "project": book.project.slug if book.project else "",
    }
    return {name: value for name, value in fields.items() if value}


def _rates(book: PriceBook) -> list[dict[str, Any]]:
    rows = Rate.objects.filter(book=book, superseded_version=None).select_related("model")
    return [
        _matched(row) | {"price": plain(row.price), "per": row.per} | _tiers(row)
        for row in sorted(rows.prefetch_related("tier_rows"), key=_order)
    ]


def _multipliers(book: PriceBook) -> list[dict[str, Any]]:
    rows = RateMultiplier.objects.filter(book=book, superseded_version=None)
    return [
        _matched(row) | {"factor": plain(row.factor), "stack_group": row.stack_group}
        for row in sorted(rows.select_related("model"), key=_order)
    ]


def _order(row: Rate | RateMultiplier) -> tuple[Any, ...]:
    model = row.model
    names = (model.provider, model.name) if model else (row.provider, "")
    return (*names, row.unit, row.effective_from, row.pk)


def _matched(row: Rate | RateMultiplier) -> dict[str, Any]:
    """When and to what a row applies; what is empty is left out."""
    model = row.model
    fields = {
        "provider": model.provider if model else row.provider,
        "model": model.name if model else "*",
        "unit": row.unit,
        "from": row.effective_from.isoformat(),
        "to": row.effective_to.isoformat() if row.effective_to else None,
        "input_gt": row.input_gt,
        **row.conditions,
        "priority": row.priority or None,
        "source": row.source,
        "note": row.note,
    }
    window = {}
    if row.window_zone and row.window_from and row.window_to:
        window = {
            "zone": row.window_zone,
            "from": row.window_from.isoformat(),
            "to": row.window_to.isoformat(),
            "weekdays": ",".join(
                day for bit, day in enumerate(WEEKDAYS) if (row.window_weekdays or 0) >> bit & 1
            ),
        }
    written = {name: value for name, value in fields.items() if value not in (None, "")}
    return written | ({"window": window} if window else {})


def _tiers(row: Rate) -> dict[str, Any]:
    tiers = tiers_of(row.tier_rows.all())
    if tiers is None:
        return {}
    steps = [{"above": above, "price": plain(price)} for above, price in tiers.steps]
    return {"tier_mode": tiers.mode, "tiers": steps}
