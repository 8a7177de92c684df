"""Changing prices: each change is one transaction that takes the next price version.

After it has committed, requests that had no price are priced at once; a cost that exists stays.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from zoneinfo import ZoneInfo

from django.db import transaction

from accounting.domain.errors import BadRateError
from accounting.models import (
    CreditRate,
    FxRate,
    ModelAlias,
    Organization,
    PriceBook,
    PriceVersion,
    Project,
)
from accounting.services.price_files import BookRow, PriceTable, read_table
from accounting.services.price_rows import AliasRow, ConversionRow, MultiplierRow, RateRow
from accounting.services.price_versions import lock_prices, next_version
from accounting.services.rate_changes import change_conversions, change_rates, models_for_aliases
from accounting.services.repricing import price_unpriced
from accounting.services.timelines import Changed


@dataclass(frozen=True, slots=True, kw_only=True)
class PricesChanged:
    """What a change came to. version: None where everything stood already.

    rates: rates and multipliers; conversions: credit and exchange rates. newly_priced: requests
    whose missing price the change filled in.
    """

    version: int | None
    books: tuple[str, ...] = ()
    rates: Changed = field(default_factory=Changed)
    conversions: Changed = field(default_factory=Changed)
    aliases: int = 0
    newly_priced: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who changes prices, and why."""

    user: str = ""
    reason: str = ""


NOBODY = Author()


def import_table(
    content: bytes,
    *,
    organization: Organization,
    by: Author = NOBODY,
) -> PricesChanged:
    """Take a JSON or CSV price table into an organization's books: all of it or nothing.

    The same table again changes nothing. Raises BadRateError naming the first row that is wrong.
    """
    table = read_table(
        content,
        zone=ZoneInfo(organization.time_zone),
        currency=organization.currency,
        credit_kind=organization.credit_kind,
    )
    return change_prices(table, organization=organization, by=by, kind=PriceVersion.Kind.IMPORT)


def add_price(
    row: RateRow, *, organization: Organization, book: BookRow, by: Author = NOBODY
) -> PricesChanged:
    """Add one price; the one it follows ends where it begins."""
    return add_rates([row], organization=organization, book=book, by=by)


def add_rates(
    rows: Sequence[RateRow | MultiplierRow],
    *,
    organization: Organization,
    book: BookRow,
    by: Author = NOBODY,
) -> PricesChanged:
    """Add prices and multipliers to one book, which is made where it does not exist."""
    table = PriceTable(books=((book, tuple(rows)),))
    return change_prices(table, organization=organization, by=by)


def add_credit_rate(
    row: ConversionRow, *, organization: Organization, by: Author = NOBODY
) -> PricesChanged:
    """Say what one credit costs from a local midnight on."""
    return change_prices(PriceTable(credit_rates=(row,)), organization=organization, by=by)


def add_fx_rate(
    row: ConversionRow, *, organization: Organization, by: Author = NOBODY
) -> PricesChanged:
    """Say what one unit of a currency is worth in another from a local midnight on."""
    return change_prices(PriceTable(fx_rates=(row,)), organization=organization, by=by)


def add_alias(row: AliasRow, *, organization: Organization, by: Author = NOBODY) -> PricesChanged:
    """Say which listed model a name in the logs means."""
    return change_prices(PriceTable(aliases=(row,)), organization=organization, by=by)


def change_prices(
    table: PriceTable,
    *,
    organization: Organization,
    by: Author = NOBODY,
    kind: str = PriceVersion.Kind.CHANGE,
) -> PricesChanged:
    """Take a whole table into the books under one version, then price what had no price."""
    with transaction.atomic():
        changed = _changed(table, organization, by, kind)
    if changed.version is None:
        return changed
    return replace(changed, newly_priced=price_unpriced(organization_id=organization.pk))


def _changed(table: PriceTable, organization: Organization, by: Author, kind: str) -> PricesChanged:
    lock_prices()
    version = next_version(
        organization_id=organization.pk, kind=kind, user=by.user, reason=by.reason
    )
    rates = Changed()
    books_changed = False
    for row, rows in table.books:
        book, book_changed = _book(row, organization)
        books_changed = books_changed or book_changed
        rates += change_rates(book, version, rows)
    conversions = change_conversions(
        CreditRate, organization.pk, version, table.credit_rates
    ) + change_conversions(FxRate, organization.pk, version, table.fx_rates)
    aliases = _take_aliases(table.aliases, organization, version)
    touched = rates.touched + conversions.touched + aliases
    if not touched and not books_changed:
        transaction.set_rollback(True)  # the number was not needed
    return PricesChanged(
        version=version.number if touched or books_changed else None,
        books=tuple(dict.fromkeys(row.code for row, _ in table.books)),
        rates=rates,
        conversions=conversions,
        aliases=aliases,
    )


def _book(row: BookRow, organization: Organization) -> tuple[PriceBook, bool]:
    """The organization's book with that code, made where there is none; whether it changed."""
    parent = _parent(row, organization) if row.parent else None
    book = PriceBook.objects.filter(organization=organization, code=row.code).first()
    if book is None:
        return _made(row, organization, parent), True
    if row.currency and row.currency != book.currency:
        raise BadRateError(
            f"book {row.code} is in {book.currency}, not {row.currency}: use another code"
        )
    if row.kind and row.kind != book.kind:
        raise BadRateError(f"book {row.code} is a {book.kind} book, not {row.kind}")
    if parent is not None and book.parent_id != parent.pk:
        _refuse_circle(book, parent)
        book.parent = parent
        book.save(update_fields=["parent"])
        return book, True
    return book, False


def _made(row: BookRow, organization: Organization, parent: PriceBook | None) -> PriceBook:
    kind = row.kind or PriceBook.Kind.ORGANIZATION
    if kind not in PriceBook.Kind.values:
        raise BadRateError(f"kind = {kind!r}, expected {', '.join(PriceBook.Kind.values)}")
    project = None
    if row.project:
        project = Project.objects.of(organization.pk).filter(slug=row.project).first()
        if project is None:
            raise BadRateError(f"there is no project {row.project!r}")
    return PriceBook.objects.create(
        organization=organization,
        project=project,
        parent=parent,
        code=row.code,
        name=row.name or row.code,
        currency=row.currency or organization.currency,
        kind=kind,
    )


def _parent(row: BookRow, organization: Organization) -> PriceBook:
    for owner in (organization, None):
        parent = PriceBook.objects.filter(organization=owner, code=row.parent).first()
        if parent is not None:
            return parent
    raise BadRateError(f"there is no book {row.parent!r} to be the parent of {row.code!r}")


def _refuse_circle(book: PriceBook, parent: PriceBook) -> None:
    above: PriceBook | None = parent
    while above is not None:
        if above.pk == book.pk:
            raise BadRateError(f"book {book.code} would be its own parent")
        above = above.parent


def _take_aliases(
    rows: Sequence[AliasRow], organization: Organization, version: PriceVersion
) -> int:
    models = models_for_aliases(rows)
    taken = 0
    for row in rows:
        model_id = models[row.model_provider, row.model]
        standing = ModelAlias.objects.filter(
            organization=organization,
            provider=row.provider,
            alias=row.alias,
            superseded_version=None,
        )
        if standing.filter(model_id=model_id).exists():
            continue
        standing.update(superseded_version=version)
        ModelAlias.objects.create(
            organization=organization,
            provider=row.provider,
            alias=row.alias,
            model_id=model_id,
            added_version=version,
        )
        taken += 1
    return taken
