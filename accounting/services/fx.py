"""Exchange rates from files into an organization's books."""

from collections.abc import Collection
from zoneinfo import ZoneInfo

from accounting.models import CreditRate, FxRate, Organization, PriceBook, PriceVersion
from accounting.services.ecb_rates import PIVOT, read_ecb
from accounting.services.price_files import PriceTable
from accounting.services.pricebooks import NOBODY, Author, PricesChanged, change_prices


def import_ecb(
    content: bytes,
    *,
    organization: Organization,
    currencies: Collection[str] = (),
    by: Author = NOBODY,
) -> PricesChanged:
    """Take a file of the European Central Bank in; costs that exist keep the rates of their day.

    currencies: the columns to take; without any, those that the organization's books need. Costs
    without an amount in the organization's currency, or without credits, get them now.
    """
    rows = read_ecb(
        content,
        zone=ZoneInfo(organization.time_zone),
        currencies=currencies or needed_currencies(organization),
    )
    return change_prices(
        PriceTable(fx_rates=tuple(rows)),
        organization=organization,
        by=by,
        kind=PriceVersion.Kind.IMPORT,
    )


def needed_currencies(organization: Organization) -> set[str]:
    """The currencies of the organization, its books, the list and its credits that EUR may be in."""
    books = PriceBook.objects.filter(organization=organization) | PriceBook.objects.filter(
        organization=None
    )
    rates = CreditRate.objects.filter(organization=organization, superseded_version=None)
    kinds = {kind.upper() for kind in rates.values_list("kind", flat=True)}
    known = FxRate.objects.filter(
        organization=organization, superseded_version=None, from_currency=PIVOT
    )
    return {
        organization.currency,
        *books.values_list("currency", flat=True),
        *rates.values_list("currency", flat=True),
        *known.values_list("to_currency", flat=True).distinct(),
    } - kinds
