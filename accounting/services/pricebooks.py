"""Changing prices: each change is one transaction that takes the next price version.

After it has committed, requests that had no price when they came are brought up to it at once; a
cost that was known when the request was posted stays.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils import timezone

from accounting.domain.price_lints import Finding
from accounting.models import (
    CreditRate,
    FxRate,
    ModelAlias,
    Organization,
    PriceVersion,
)
from accounting.services.book_rows import book_for
from accounting.services.filling_in import fill_in
from accounting.services.price_feeds import LeftOut
from accounting.services.price_files import BookRow, PriceTable
from accounting.services.price_findings import findings_of
from accounting.services.price_rows import AliasRow, ConversionRow, MultiplierRow, RateRow
from accounting.services.price_sources import Reading, read_source
from accounting.services.price_versions import lock_prices, next_version
from accounting.services.rate_changes import change_conversions, change_rates, models_for_aliases
from accounting.services.timelines import Changed


@dataclass(frozen=True, slots=True, kw_only=True)
class PricesChanged:
    """What a change came to. version: None where everything stood already.

    rates: rates and multipliers; conversions: credit and exchange rates. newly_priced: requests
    whose missing price the change filled in; followed: those that got their price after they came,
    and now another one. findings: what looks wrong; where nobody confirmed it, nothing was changed.
    left_out: what a feed says that has no place in our table.
    """

    version: int | None
    books: tuple[str, ...] = ()
    rates: Changed = field(default_factory=Changed)
    conversions: Changed = field(default_factory=Changed)
    aliases: int = 0
    newly_priced: int = 0
    followed: int = 0
    findings: tuple[Finding, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def is_refused(self) -> bool:
        """Whether a person must confirm the findings, or fix the prices, before anything changes."""
        return self.version is None and bool(self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who changes prices, and why. confirmed: the person has seen what looks wrong about them."""

    user: str = ""
    reason: str = ""
    confirmed: bool = False


NOBODY = Author()


def import_table(
    content: bytes,
    *,
    organization: Organization,
    by: Author = NOBODY,
    start: datetime | None = None,
    book: str = "",
) -> PricesChanged:
    """Take a price table or a feed into an organization's books: all of it or nothing.

    start: from when a feed's prices hold, without it from now on; book: the code it goes into.
    The same table again changes nothing. Raises BadRateError naming the first row that is wrong.
    """
    reading = Reading(
        start=start or timezone.now(),
        zone=ZoneInfo(organization.time_zone),
        currency=organization.currency,
        credit_kind=organization.credit_kind,
        kinds=tuple(credit_kinds(organization)),
        book=book,
    )
    table = read_source(content, reading)
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
    """Take a whole table into the books under one version, then price what had no price.

    Where something looks wrong about the new prices and `by` has not confirmed it, nothing is
    changed and the result says what.
    """
    with transaction.atomic():
        changed = _changed(table, organization, by, kind)
    if changed.version is None:
        return changed
    filled = fill_in(organization_id=organization.pk)
    return replace(changed, newly_priced=filled.priced, followed=filled.followed)


def _changed(table: PriceTable, organization: Organization, by: Author, kind: str) -> PricesChanged:
    lock_prices()
    version = next_version(
        organization_id=organization.pk, kind=kind, user=by.user, reason=by.reason
    )
    rates, books_changed = Changed(), False
    doubts: list[Finding] = []
    for row, rows in table.books:
        book, book_changed = book_for(row, organization)
        books_changed = books_changed or book_changed
        rates += change_rates(book, version, rows)
        doubts += findings_of(book, version, rows)
    if doubts and not by.confirmed:
        transaction.set_rollback(True)
        return PricesChanged(version=None, findings=tuple(doubts), left_out=table.left_out)
    _choose_credit(table.credit_rates, organization)
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
        findings=tuple(doubts),
        left_out=table.left_out,
    )


def _choose_credit(rows: Sequence[ConversionRow], organization: Organization) -> None:
    """The kind of the first credit rate is the one that credits are counted in from then on.

    A second kind later does not change what the credits of earlier events mean.
    """
    kinds = {row.what for row in rows}
    if len(kinds) != 1 or CreditRate.objects.filter(organization=organization).exists():
        return
    (organization.credit_kind,) = kinds
    organization.save(update_fields=["credit_kind"])


def credit_kinds(organization: Organization) -> set[str]:
    """The kinds of credits that an organization has a rate of."""
    rates = CreditRate.objects.filter(organization=organization)
    return set(rates.values_list("kind", flat=True))


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
