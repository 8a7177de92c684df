"""Loading the built-in price list, once for each edition of the package it comes from."""

import json
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection, transaction

from accounting.domain.rates import conditions_of
from accounting.domain.shelves import Alias
from accounting.models import ModelAlias, Organization, PriceBook, PriceVersion, Rate
from accounting.services.filling_in import fill_in
from accounting.services.listed_prices import list_digest, price_list
from accounting.services.price_rows import RateRow
from accounting.services.price_versions import lock_prices, next_version
from accounting.services.rate_changes import models_for
from accounting.services.statistics import after_price_list

LOGGER = logging.getLogger(__name__)
LIST_CODE = "list"
COPIED = (
    "book_id",
    "model_id",
    "provider",
    "unit",
    "price",
    "per",
    "effective_from",
    "effective_to",
    "input_gt",
    "conditions",
    "window_zone",
    "window_from",
    "window_to",
    "window_weekdays",
    "priority",
    "source",
    "note",
    "added_version_id",
)
COPY_RATES = f"COPY accounting_rate ({', '.join(COPIED)}) FROM STDIN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What loading the list came to. version: None where it stood already.

    newly_priced, followed: as in PricesChanged.
    """

    version: int | None
    added: int = 0
    superseded: int = 0
    aliases: int = 0
    newly_priced: int = 0
    followed: int = 0


def load_builtin(*, accept: bool = False) -> Loaded:
    """Load the list for everybody where there is none; with accept, bring it up to the package.

    An edition that differs from the loaded one changes nothing until a person has seen the
    difference and accepts it. Prices that the package no longer says are then superseded, so that
    older versions still have them.
    """
    digest = list_digest()
    if _stands(digest, accept=accept):
        return Loaded(version=None)
    with transaction.atomic():
        lock_prices()
        if _stands(digest, accept=accept):
            return Loaded(version=None)
        loaded = _load(digest)
        after_price_list()
    organizations = Organization.objects.values_list("pk", flat=True)
    filled = [fill_in(organization_id=pk) for pk in organizations]
    return replace(
        loaded,
        newly_priced=sum(one.priced for one in filled),
        followed=sum(one.followed for one in filled),
    )


def loaded_edition() -> tuple[str, str]:
    """(digest, package and version) of the list that is loaded; empty texts before the first."""
    newest = PriceVersion.objects.filter(kind=PriceVersion.Kind.BUILTIN).order_by("-number")
    return newest.values_list("digest", "reason").first() or ("", "")


def _stands(digest: str, *, accept: bool) -> bool:
    loaded, _ = loaded_edition()
    if loaded and loaded != digest and not accept:
        LOGGER.warning(
            "the installed price list is not the loaded one: see `manage.py prices refresh`"
        )
        return True
    return loaded == digest


def _load(digest: str) -> Loaded:
    listed = price_list()
    source = listed.rows[0].source
    book, _ = PriceBook.objects.get_or_create(
        organization=None,
        code=LIST_CODE,
        defaults={"name": "Built-in list", "currency": "USD", "kind": PriceBook.Kind.LIST},
    )
    version = next_version(
        organization_id=None, kind=PriceVersion.Kind.BUILTIN, reason=source, digest=digest
    )
    models = models_for(listed.rows)
    standing = standing_rows(book)
    wanted = {columns_of(row, models): row for row in listed.rows}
    gone = [pk for columns, pk in standing.items() if columns not in wanted]
    Rate.objects.filter(pk__in=gone).update(superseded_version=version)
    added = [columns for columns in wanted if columns not in standing]
    _copy(book, version, [(columns, wanted[columns]) for columns in added])
    return Loaded(
        version=version.number,
        added=len(added),
        superseded=len(gone),
        aliases=_take_aliases(listed.aliases, models, version),
    )


def columns_of(row: RateRow, models: dict[tuple[str, str], int]) -> tuple[Any, ...]:
    """A row in the order of COPIED, without the book, source, note and version around it."""
    window = row.window
    return (
        models[row.provider, row.model],
        "",
        row.unit,
        row.price,
        row.per,
        row.effective_from,
        row.effective_to,
        row.input_gt,
        json.dumps(dict(row.conditions)),
        window.zone if window else "",
        window.start if window else None,
        window.end if window else None,
        window.weekdays if window else None,
        row.priority,
    )


def standing_rows(book: PriceBook) -> dict[tuple[Any, ...], int]:
    """The rows in force in the list, as columns -> id."""
    rows = Rate.objects.filter(book=book, superseded_version=None)
    return {
        (*columns[:8], json.dumps(dict(conditions_of(columns[8]))), *columns[9:]): pk
        for pk, *columns in rows.values_list("id", *COPIED[1:-3])
    }


def _copy(
    book: PriceBook, version: PriceVersion, rows: Iterable[tuple[tuple[Any, ...], RateRow]]
) -> None:
    with connection.cursor() as cursor, cursor.copy(COPY_RATES) as copy:
        for columns, row in rows:
            copy.write_row((book.pk, *columns, row.source, row.note, version.number))


def _take_aliases(
    aliases: Sequence[Alias], models: dict[tuple[str, str], int], version: PriceVersion
) -> int:
    wanted = {
        (alias.provider, alias.alias): models[alias.model_provider, alias.model]
        for alias in aliases
        if (alias.model_provider, alias.model) in models
    }
    standing = {
        (provider, alias): (pk, model_id)
        for pk, provider, alias, model_id in ModelAlias.objects.filter(
            organization__isnull=True, superseded_version=None
        ).values_list("id", "provider", "alias", "model_id")
    }
    gone = [pk for name, (pk, model_id) in standing.items() if wanted.get(name) != model_id]
    ModelAlias.objects.filter(pk__in=gone).update(superseded_version=version)
    added = [
        ModelAlias(provider=name[0], alias=name[1], model_id=model_id, added_version=version)
        for name, model_id in wanted.items()
        if name not in standing or standing[name][1] != model_id
    ]
    ModelAlias.objects.bulk_create(added, batch_size=1_000)
    return len(added)
