"""What taking in the installed price list would change, before anybody accepts it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction

from accounting.models import LlmModel, PriceBook
from accounting.services.builtin_prices import (
    COPIED,
    LIST_CODE,
    columns_of,
    loaded_edition,
    standing_rows,
)
from accounting.services.listed_prices import list_digest, price_list
from accounting.services.rate_changes import models_for

#: Columns of a row without the book: its price is 'price', when it ends 'effective_to'.
_NAMES = COPIED[1:-3]
_PRICE, _PER, _END = (_NAMES.index(name) for name in ("price", "per", "effective_to"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ListChange:
    """One price of the list that the package adds (old None), drops (new None) or says otherwise.

    until: the ends of the old and of the new row; condition: band, conditions and window in words.
    """

    provider: str
    model: str
    unit: str
    condition: str
    effective_from: datetime
    old: Decimal | None
    new: Decimal | None
    per: int
    old_until: datetime | None
    new_until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListDifference:
    """The loaded edition beside the installed one. changes: by provider, model and unit."""

    loaded: str
    installed: str
    is_current: bool
    changes: tuple[ListChange, ...]


def list_difference() -> ListDifference:
    """Compare the loaded list with the installed package; changes nothing."""
    digest, loaded = loaded_edition()
    listed = price_list()
    installed = listed.rows[0].source
    if digest == list_digest():
        return ListDifference(loaded=loaded, installed=installed, is_current=True, changes=())
    with transaction.atomic():
        models = models_for(listed.rows)
        book = PriceBook.objects.filter(organization=None, code=LIST_CODE).first()
        standing = set(standing_rows(book)) if book else set()
        wanted = {columns_of(row, models) for row in listed.rows}
        names = {
            pk: (provider, name)
            for pk, provider, name in LlmModel.objects.values_list("pk", "provider", "name")
        }
        transaction.set_rollback(True)  # the catalog's new models were for the comparison only
    changes = _paired(standing - wanted, wanted - standing, names)
    return ListDifference(
        loaded=loaded, installed=installed, is_current=False, changes=tuple(changes)
    )


type _Columns = tuple[Any, ...]


def _paired(
    gone: set[_Columns], added: set[_Columns], names: dict[int, tuple[str, str]]
) -> list[ListChange]:
    """A row that goes and one that comes in its place are one change."""
    olds, news = ({_place(row): row for row in rows} for rows in (gone, added))
    changes = [_change(olds.get(place), news.get(place), names) for place in {*olds, *news}]
    return sorted(
        changes,
        key=lambda one: (one.provider, one.model, one.unit, one.condition, one.effective_from),
    )


def _place(row: _Columns) -> _Columns:
    return tuple(value for at, value in enumerate(row) if at not in {_PRICE, _PER, _END})


def _change(
    old: _Columns | None, new: _Columns | None, names: dict[int, tuple[str, str]]
) -> ListChange:
    row = dict(zip(_NAMES, new or old or (), strict=True))
    provider, model = names[row["model_id"]]
    return ListChange(
        provider=provider,
        model=model,
        unit=row["unit"],
        condition=_condition(row),
        effective_from=row["effective_from"],
        old=old[_PRICE] if old else None,
        new=new[_PRICE] if new else None,
        per=row["per"],
        old_until=old[_END] if old else None,
        new_until=new[_END] if new else None,
    )


def _condition(row: dict[str, Any]) -> str:
    parts: Sequence[str] = [
        f"input > {row['input_gt']}" if row["input_gt"] is not None else "",
        row["conditions"] if row["conditions"] != "{}" else "",
        f"{row['window_from']:%H:%M}-{row['window_to']:%H:%M} {row['window_zone']}"
        f" weekdays {row['window_weekdays']}"
        if row["window_zone"]
        else "",
    ]
    return ", ".join(part for part in parts if part)
