"""Credits that others sell, with what one is worth and, where they quote them, their own prices."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from accounting.domain.errors import BadRateError
from accounting.models import Organization, PriceVersion
from accounting.services.price_files import BookRow, PriceTable
from accounting.services.price_rows import ConversionRow, RateRow
from accounting.services.pricebooks import NOBODY, Author, PricesChanged, change_prices

#: Prices in credits per million tokens: (provider, model) -> input, cached input, output.
type Quoted = tuple[tuple[str, str, str, str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """One kind of credit. worth: what one is worth, not what a vendor charges for topping up.

    quoted: credits per million tokens as the vendor states them, which rounds some: they are not
    what the money price divided by the worth comes to.
    """

    name: str
    kind: str
    currency: str
    worth: Decimal
    title: str
    quoted: Quoted = ()


PRESETS = (
    Preset(
        name="new-api",
        kind="quota",
        currency="USD",
        worth=Decimal("0.000002"),
        title="one-api and new-api: 500,000 quota = 1 USD",
    ),
    Preset(
        name="github",
        kind="ai-credit",
        currency="USD",
        worth=Decimal("0.01"),
        title="GitHub AI credit: 0.01 USD",
    ),
    Preset(
        name="codex",
        kind="codex",
        currency="USD",
        worth=Decimal("0.04"),
        title="OpenAI Codex: 25 credits = 1 USD",
        quoted=(
            ("openai", "gpt-5.5", "125", "12.5", "750"),
            ("openai", "gpt-5.4", "62.5", "6.25", "375"),
            ("openai", "gpt-5.4-mini", "18.75", "1.875", "113"),
        ),
    ),
)


def preset_named(name: str) -> Preset:
    """The preset of that name. Raises BadRateError for any other."""
    for preset in PRESETS:
        if preset.name == name:
            return preset
    known = ", ".join(preset.name for preset in PRESETS)
    raise BadRateError(f"there is no preset {name!r}, expected {known}")


def use_preset(
    preset: Preset,
    *,
    organization: Organization,
    start: datetime,
    with_quoted_prices: bool = False,
    by: Author = NOBODY,
) -> PricesChanged:
    """Take a preset's credit rate into the books, from a local midnight on.

    with_quoted_prices: its own prices too, as a book whose currency is the credit; requests for
    those models are then charged in credits, whatever a list in money says.
    """
    rate = ConversionRow(
        what=preset.kind,
        currency=preset.currency,
        price=preset.worth,
        effective_from=start,
        source="preset",
        note=preset.title,
    )
    books = ((_book(preset), _quoted(preset, start)),) if with_quoted_prices else ()
    return change_prices(
        PriceTable(books=books, credit_rates=(rate,)),
        organization=organization,
        by=by,
        kind=PriceVersion.Kind.CHANGE,
    )


def _book(preset: Preset) -> BookRow:
    if not preset.quoted:
        raise BadRateError(f"preset {preset.name} quotes no prices of its own")
    return BookRow(code=f"{preset.name}-credits", currency=preset.kind.upper(), name=preset.title)


def _quoted(preset: Preset, start: datetime) -> tuple[RateRow, ...]:
    return tuple(
        RateRow(
            provider=provider,
            model=model,
            unit=unit,
            price=Decimal(price),
            effective_from=start,
            source="preset",
        )
        for provider, model, *prices in preset.quoted
        for unit, price in zip(("input", "input.cache_read", "output"), prices, strict=True)
    )
