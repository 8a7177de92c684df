"""When a price holds and what put it before others, in the reader's words."""

import re
from collections.abc import Mapping

from babel.dates import get_day_names
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy, to_locale
from django.utils.translation import gettext as _

from accounting.domain.price_lints import Finding
from accounting.queries.price_rows import PriceRow
from accounting.web import formatting

CONDITIONS: Mapping[str, Promise] = {
    "service_tier": gettext_lazy("service tier"),
    "processing": gettext_lazy("processing"),
    "region": gettext_lazy("region"),
    "speed": gettext_lazy("speed"),
    "route": gettext_lazy("route"),
}
#: Code of a doubt -> what it means; the doubt itself has the numbers.
DOUBTS: Mapping[str, Promise] = {
    "magnitude": gettext_lazy("The price is far from what such a model costs"),
    "no_base_price": gettext_lazy("Short requests are left without a price"),
    "cached_above_input": gettext_lazy("Cached input costs more than input"),
    "hour_below_5_minutes": gettext_lazy(
        "Keeping a cache for an hour costs less than for 5 minutes"
    ),
    "batch_not_below_standard": gettext_lazy("Batches cost no less than single requests"),
    "windows_overlap": gettext_lazy("Two prices hold at the same time"),
    "gap": gettext_lazy("There are days between two prices on which none holds"),
}
_DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
#: How price rows write a window: the days by two letters each, then the hours and their zone.
_WINDOW = re.compile(r"((?:[A-Z][a-z])+) (\d\d:\d\d)-(\d\d:\d\d) (\S+)")


def conditions_of(row: PriceRow) -> str:
    """When a rate holds; '' for always."""
    return formatting.listed(_conditions(row))


def reasons_of(row: PriceRow) -> str:
    """What put a rate before others, between its book and its date."""
    reasons = [_("priority %(what)s") % {"what": row.priority}] if row.priority else []
    named = f"{row.provider}/{row.model}".lstrip("/")
    if row.model:
        reasons.append(_("names %(what)s") % {"what": named})
    elif row.provider:
        reasons.append(_("all models of %(what)s") % {"what": row.provider})
    else:
        reasons.append(_("any model"))
    return formatting.listed([*reasons, *_conditions(row)])


def doubt(found: Finding) -> str:
    """A doubt about a price: in English its own words, else what it means and those behind."""
    meaning = DOUBTS.get(found.code)
    if meaning is None or (get_language() or "en").startswith("en"):
        return found.message
    return _("%(meaning)s (%(detail)s)") % {"meaning": meaning, "detail": found.message}


def _conditions(row: PriceRow) -> list[str]:
    told = []
    if row.input_gt is not None:
        told.append(_("more than %(n)s input tokens") % {"n": formatting.exact(row.input_gt)})
    told += [
        _("%(name)s is %(value)s") % {"name": CONDITIONS.get(name, name), "value": value}
        for name, value in sorted(row.conditions.items())
    ]
    return [*told, _window(row.window)] if row.window else told


def _window(text: str) -> str:
    """Mon–Fri 16:30–00:30 (UTC), days that follow each other as a span."""
    found = _WINDOW.fullmatch(text)
    if not found:
        return text
    days = [_DAYS.index(found[1][at : at + 2]) for at in range(0, len(found[1]), 2)]
    names = get_day_names("abbreviated", locale=to_locale(get_language() or "en"))
    is_span = days == [*range(days[0], days[-1] + 1)] and len(days) > 2
    shown = (
        "–".join(names[day] for day in (days[0], days[-1]))
        if is_span
        else formatting.listed([names[day] for day in days])
    )
    return f"{shown} {found[2]}–{found[3]} ({found[4]})"
