"""Currency and time zone of the books, with a guess from what the browser says."""

from functools import cache
from zoneinfo import available_timezones

from babel import Locale, UnknownLocaleError
from babel.core import get_global
from babel.numbers import get_currency_name, get_territory_currencies
from django import forms
from django.utils.translation import get_language, to_locale
from django.utils.translation import gettext_lazy as _
from django.utils.translation.trans_real import parse_accept_lang_header

FIRST = ("USD", "EUR", "CNY", "GBP", "JPY", "INR")
#: Zones that are named after no place, or that the name of a place replaces.
NOT_PLACES = ("Etc/", "SystemV/", "US/", "posix/", "right/")


def currency_choices() -> list[tuple[str, str]]:
    """Every currency of today, the usual ones first, named in the reader's language."""
    return _currencies_in(to_locale(get_language() or "en"))


@cache
def _currencies_in(locale: str) -> list[tuple[str, str]]:
    current = {
        code
        for territory in get_global("territory_currencies")
        for code in get_territory_currencies(territory)
    }
    codes = [*FIRST, *sorted(current - set(FIRST))]
    return [(code, f"{code} – {get_currency_name(code, locale=locale)}") for code in codes]


@cache
def zone_choices() -> list[tuple[str, str]]:
    """Every time zone that is named after a place, and UTC first."""
    zones = {
        zone for zone in available_timezones() if "/" in zone and not zone.startswith(NOT_PLACES)
    }
    return [(zone, zone.replace("_", " ")) for zone in ["UTC", *sorted(zones)]]


class WelcomeForm(forms.Form):
    """What an organization chooses once, before the first entry."""

    currency = forms.ChoiceField(label=_("Currency"), choices=currency_choices)
    time_zone = forms.ChoiceField(label=_("Time zone"), choices=zone_choices)


def currency_of_reader(accept_language: str) -> str:
    """The currency of the first territory the browser names, USD when it names none."""
    for language, _weight in parse_accept_lang_header(accept_language):
        try:
            territory = Locale.parse(to_locale(language)).territory
        except (UnknownLocaleError, ValueError):
            continue
        money = get_territory_currencies(territory) if territory else []
        if money:
            return str(money[0])
    return "USD"
