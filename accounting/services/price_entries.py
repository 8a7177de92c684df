"""One entry of a price table as people write it, read into a row; a misspelt name is refused."""

from collections.abc import Collection, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from accounting.domain.currencies import checked_kind
from accounting.domain.naming import provider_id
from accounting.domain.units import UNITS
from accounting.services import price_fields as fields
from accounting.services.price_rows import (
    AliasRow,
    BookRow,
    ConversionRow,
    MultiplierRow,
    RateRow,
)

BOOK_NAMES = {"code", "currency", "parent", "kind", "name", "project"}
RATE_NAMES = {"price", "per", "tier_mode", "tiers"}
CONVERSION_NAMES = ("from", "to", "note", "source")


def book_of(row: Mapping[str, Any], kinds: Collection[str]) -> BookRow:
    """A book. kinds: the credit kinds that may be its currency."""
    fields.only(row, BOOK_NAMES, "a book")
    return BookRow(
        code=fields.text(row, "code", needed=True, longest=64),
        currency=fields.currency(row, "currency", kinds=kinds),
        parent=fields.text(row, "parent"),
        kind=fields.text(row, "kind"),
        name=fields.text(row, "name"),
        project=fields.text(row, "project"),
    )


def rate_of(row: Mapping[str, Any], zone: ZoneInfo) -> RateRow:
    """A price."""
    fields.only(row, fields.MATCH_NAMES | RATE_NAMES, "a rate")
    unit = fields.unit(row)
    per = fields.count(row, "per")
    return RateRow(
        **fields.match(row, unit, zone),
        price=fields.price(row, "price"),
        per=UNITS[unit].per if per is None else per,
        tiers=fields.tiers(row),
    )


def multiplier_of(row: Mapping[str, Any], zone: ZoneInfo) -> MultiplierRow:
    """A factor."""
    fields.only(row, fields.MATCH_NAMES | {"factor", "stack_group"}, "a multiplier")
    return MultiplierRow(
        **fields.match(row, fields.unit(row) if row.get("unit") else "", zone),
        factor=fields.price(row, "factor"),
        stack_group=fields.text(row, "stack_group", longest=64) or "default",
    )


def credit_of(
    row: Mapping[str, Any], zone: ZoneInfo, currency: str, credit_kind: str
) -> ConversionRow:
    """What one credit is worth. currency, credit_kind: where the entry names none."""
    fields.only(row, {"kind", "currency", "price", *CONVERSION_NAMES}, "a credit rate")
    return ConversionRow(
        what=checked_kind(fields.text(row, "kind", longest=40)) or credit_kind,
        currency=fields.currency(row, "currency") or currency,
        price=fields.positive(row, "price"),
        **_midnights(row, zone),
    )


def fx_of(row: Mapping[str, Any], zone: ZoneInfo) -> ConversionRow:
    """What one unit of a currency is in another."""
    names = {"from_currency", "to_currency", "rate", *CONVERSION_NAMES}
    fields.only(row, names, "an exchange rate")
    return ConversionRow(
        what=fields.currency(row, "from_currency", needed=True),
        currency=fields.currency(row, "to_currency", needed=True),
        price=fields.positive(row, "rate"),
        **_midnights(row, zone),
    )


def alias_of(row: Mapping[str, Any]) -> AliasRow:
    """Another name of a model."""
    fields.only(row, {"provider", "alias", "model", "model_provider"}, "an alias")
    provider = provider_id(fields.text(row, "provider", longest=64))
    return AliasRow(
        provider=provider,
        alias=fields.text(row, "alias", needed=True).lower(),
        model_provider=provider_id(fields.text(row, "model_provider", longest=64)) or provider,
        model=fields.text(row, "model", needed=True),
    )


def _midnights(row: Mapping[str, Any], zone: ZoneInfo) -> dict[str, Any]:
    return {
        "effective_from": fields.midnight(row, "from", zone),
        "effective_to": fields.midnight(row, "to", zone) if row.get("to") else None,
        "note": fields.text(row, "note", longest=1_000),
        "source": fields.text(row, "source", longest=100),
    }
