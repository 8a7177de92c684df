"""The form that says what one currency is worth in another."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from zoneinfo import ZoneInfo

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounting.domain.periods import day_start
from accounting.models import Organization
from accounting.queries.exchange import Unconverted
from accounting.services.price_rows import ConversionRow
from accounting.web.forms.prices import AmountField, CurrencyField, DayField


class ExchangeRateForm(forms.Form):
    """One unit of the first currency is so much of the second, from a day on."""

    what = CurrencyField(label=gettext_lazy("One"), max_length=3)
    price = AmountField(label=gettext_lazy("Is worth"))
    currency = CurrencyField(label=gettext_lazy("In"), max_length=3)
    effective_from = DayField(
        label=gettext_lazy("In force from"), help_text=gettext_lazy("the start of this day")
    )

    def __init__(self, data: object = None, *, initial: object = None) -> None:
        # Other forms of the page have fields of the same names.
        super().__init__(data, initial=initial, auto_id="id_exchange_%s")  # type: ignore[arg-type]

    def clean_price(self) -> Decimal:
        """The rate, which can't be 0."""
        price: Decimal = self.cleaned_data["price"]
        if not price:
            raise forms.ValidationError(_("An exchange rate is more than 0."))
        return price

    def clean(self) -> dict[str, object]:
        """The currencies must be two."""
        cleaned: dict[str, object] = super().clean() or {}
        if not self.errors and cleaned["what"] == cleaned["currency"]:
            raise forms.ValidationError(_("Choose two different currencies."))
        return cleaned

    def row(self, zone_name: str) -> ConversionRow:
        """The rate, from the local start of the day on."""
        said = self.cleaned_data
        return ConversionRow(
            what=said["what"],
            currency=said["currency"],
            price=said["price"],
            effective_from=day_start(said["effective_from"], ZoneInfo(zone_name)),
            source="page",
        )


def blank_exchange_rate(
    organization: Organization, unconverted: Sequence[Unconverted], start: date
) -> ExchangeRateForm:
    """The form about the currency that needs a rate most, into the organization's own."""
    about = {
        "what": unconverted[0].currency if unconverted else "",
        "currency": organization.currency,
        "effective_from": start,
    }
    return ExchangeRateForm(initial=about)
