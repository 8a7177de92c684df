"""Forms that enter prices and credit rates; amounts are read as text, digit for digit."""

from datetime import date
from decimal import Decimal
from zoneinfo import ZoneInfo

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounting.domain.currencies import UnknownCurrencyError, checked_currency
from accounting.domain.errors import BadAmountError
from accounting.domain.money import amount
from accounting.domain.naming import provider_id
from accounting.domain.periods import FIRST_YEAR, LAST_YEAR, day_start
from accounting.domain.units import REQUESTS, UNITS
from accounting.services.price_files import BookRow
from accounting.services.price_rows import ConversionRow, RateRow

#: Field -> the unit it prices.
PRICE_UNITS = {
    "input_price": "input",
    "cached_price": "input.cache_read",
    "write_5m_price": "input.cache_write.5m",
    "write_1h_price": "input.cache_write.1h",
    "output_price": "output",
    "reasoning_price": "output.reasoning",
    "request_price": REQUESTS,
}
#: Fields whose price is for one, not for as many as the unit is quoted for.
PER_ONE = ("request_price",)


class AmountField(forms.CharField):
    """A price, exactly as written: at most 20 digits before and 18 after the point."""

    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})

    def clean(self, value: str | None) -> Decimal | None:
        """The amount, None where nothing is written and nothing need be."""
        text = str(super().clean(value) or "").strip()
        if not text:
            return None
        try:
            return amount(text)
        except BadAmountError:
            raise forms.ValidationError(
                _("Write a number as 0.5 or 15, without sign, spaces or thousands separators.")
            ) from None


class CurrencyField(forms.CharField):
    """A currency code of ISO 4217."""

    def clean(self, value: str | None) -> str:
        """The code in capitals."""
        try:
            return checked_currency(str(super().clean(value)))
        except UnknownCurrencyError:
            raise forms.ValidationError(
                _("No currency has this code. Write one of ISO 4217, as USD or CNY.")
            ) from None


class DayField(forms.DateField):
    """A day of the years the books cover."""

    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")

    def clean(self, value: object) -> date | None:
        """The day."""
        day: date | None = super().clean(value)
        if day is not None and not FIRST_YEAR <= day.year <= LAST_YEAR:
            raise forms.ValidationError(
                _("Choose a day from %(first)s to %(last)s.")
                % {"first": FIRST_YEAR, "last": LAST_YEAR}
            )
        return day


class PriceForm(forms.Form):
    """A version of one model's prices: from a day on, these hold."""

    provider = forms.CharField(
        label=gettext_lazy("Provider"),
        max_length=64,
        required=False,
        help_text=gettext_lazy("empty where the logs name none"),
    )
    model = forms.CharField(label=gettext_lazy("Model"), max_length=200)
    currency = CurrencyField(label=gettext_lazy("Currency"), max_length=3)
    effective_from = DayField(
        label=gettext_lazy("In force from"), help_text=gettext_lazy("the start of this day")
    )
    input_price = AmountField(label=gettext_lazy("Input"), required=False)
    cached_price = AmountField(label=gettext_lazy("Cached input"), required=False)
    write_5m_price = AmountField(label=gettext_lazy("Cache write, 5 min"), required=False)
    write_1h_price = AmountField(label=gettext_lazy("Cache write, 1 h"), required=False)
    output_price = AmountField(label=gettext_lazy("Output"), required=False)
    reasoning_price = AmountField(label=gettext_lazy("Reasoning output"), required=False)
    request_price = AmountField(
        label=gettext_lazy("Each request"),
        required=False,
        help_text=gettext_lazy("for one request, not a million"),
    )
    confirmed = forms.BooleanField(
        label=gettext_lazy("The prices are right as they are"), required=False
    )

    def clean(self) -> dict[str, object]:
        """At least one price is needed."""
        cleaned: dict[str, object] = super().clean() or {}
        if not self.errors and not self.unit_prices():
            raise forms.ValidationError(_("Enter at least one price."))
        return cleaned

    def unit_prices(self) -> dict[str, Decimal]:
        """What was entered, by unit, for as many of it as the unit is quoted for."""
        entered = {name: self.cleaned_data.get(name) for name in PRICE_UNITS}
        return {
            PRICE_UNITS[name]: price * UNITS[PRICE_UNITS[name]].per if name in PER_ONE else price
            for name, price in entered.items()
            if price is not None
        }

    def rows(self, zone_name: str) -> list[RateRow]:
        """The prices as rows of a book, from the local start of the day on."""
        start = day_start(self.cleaned_data["effective_from"], ZoneInfo(zone_name))
        return [
            RateRow(
                provider=provider_id(self.cleaned_data["provider"]),
                model=self.cleaned_data["model"],
                unit=unit,
                price=price,
                per=UNITS[unit].per,
                effective_from=start,
                source="page",
            )
            for unit, price in self.unit_prices().items()
        ]

    def price_fields(self) -> list[forms.BoundField]:
        """The fields that hold a price."""
        return [self[name] for name in PRICE_UNITS]


class CreditRateForm(forms.Form):
    """What one credit costs from a day on."""

    price = AmountField(label=gettext_lazy("One credit costs"))
    currency = CurrencyField(label=gettext_lazy("Currency"), max_length=3)
    effective_from = DayField(label=gettext_lazy("In force from"))

    def __init__(self, data: object = None, *, initial: object = None) -> None:
        # Other forms of the page have fields of the same names.
        super().__init__(data, initial=initial, auto_id="id_credit_%s")  # type: ignore[arg-type]

    def clean_price(self) -> Decimal:
        """The price, which can't be 0."""
        price: Decimal = self.cleaned_data["price"]
        if not price:
            raise forms.ValidationError(_("A credit must cost something."))
        return price

    def row(self, kind: str, zone_name: str) -> ConversionRow:
        """The rate, from the local start of the day on."""
        return ConversionRow(
            what=kind,
            currency=self.cleaned_data["currency"],
            price=self.cleaned_data["price"],
            effective_from=day_start(self.cleaned_data["effective_from"], ZoneInfo(zone_name)),
            source="page",
        )


def own_book(currency: str) -> BookRow:
    """The organization's own book of a currency: prices entered on the page go there."""
    return BookRow(
        code=f"own-{currency.lower()}", currency=currency, name=f"Own prices, {currency}"
    )
