"""What was refused, in the reader's language: by the error's code, with its own words behind.

Services and queries say in English what is wrong, with the value and what was expected. Whoever reads
another language is told what that kind of refusal means first.
"""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from accounting.domain.errors import DomainError
from accounting.queries.filters import FilterError

#: Code -> its meaning, of every refusal that a page can show.
MEANINGS: Mapping[str, Promise] = {
    # the address
    "unknown_parameter": gettext_lazy("The address has a parameter that this page does not know"),
    "repeated_parameter": gettext_lazy("The address gives a parameter twice that has one value"),
    "bad_value": gettext_lazy("A value of the address cannot be right"),
    "bad_date": gettext_lazy("A day is written as 2026-10-01, from 2020 on"),
    "missing_from": gettext_lazy("The range has an end and no beginning"),
    "range_and_days": gettext_lazy("The address gives both a range and its days"),
    "range_reversed": gettext_lazy("The range ends before it begins"),
    "unknown_range": gettext_lazy("No range has this name"),
    "unknown_group": gettext_lazy("Nothing can be grouped by this"),
    "unknown_sub": gettext_lazy("Nothing can be grouped by this"),
    "unknown_bucket": gettext_lazy("Time is cut into hours, days, weeks or months"),
    "unknown_metric": gettext_lazy("No figure has this name"),
    "unknown_compare": gettext_lazy("A range is compared with the one before or a year before"),
    "unknown_purpose": gettext_lazy("What is looked at is usage or benchmarks"),
    "unknown_weekday": gettext_lazy("Weekdays are compared or not: 1, or nothing"),
    "unknown_chart": gettext_lazy("No chart is drawn in this way"),
    "unknown_show": gettext_lazy("No chart shows amounts in this way"),
    "unknown_order": gettext_lazy("The rows cannot be ordered by this"),
    "sub_without_group": gettext_lazy("There is a second dimension without a first"),
    "sub_is_group": gettext_lazy("Both dimensions are the same"),
    "too_many_points": gettext_lazy("This would be more columns than can be drawn"),
    "too_many_requests_read": gettext_lazy(
        "Too many requests would be read one by one: ask for fewer days, or for what is kept by days"
    ),
    "unknown_zone": gettext_lazy("No time zone has this name"),
    "zone_not_hour_aligned": gettext_lazy(
        "Hours of this zone do not begin with those of the books"
    ),
    "bad_cursor": gettext_lazy("This page of the table is not there"),
    "not_reported": gettext_lazy("The reports of providers do not tell of this"),
    # an estimate
    "bad_count": gettext_lazy("A number must be whole and within its range"),
    "bad_amount": gettext_lazy("An amount must be a plain decimal number"),
    "amount_out_of_range": gettext_lazy(
        "An amount is no number, or out of the range that the books can hold"
    ),
    "bad_share": gettext_lazy("A share must lie between 0 and 1"),
    "bad_spread": gettext_lazy("The spread must lie between 0 and 1"),
    "bad_model": gettext_lazy("A model is written as provider/model"),
    "bad_estimate": gettext_lazy("No estimate can be made of what was given"),
    "too_many_models": gettext_lazy("These are more models than are compared at once"),
    "credits_and_money": gettext_lazy("Give credits or money to spend, not both"),
    "currency_and_unit": gettext_lazy("Give a currency or credits, not both"),
    "session_without_turns": gettext_lazy("A session needs its number of turns"),
    # the books
    "invalid": gettext_lazy("This cannot stand in the books"),
    "bad_time": gettext_lazy("A moment lies outside the years of the books, or has no time zone"),
    "bad_rate": gettext_lazy("A price contradicts itself or another price"),
    "unknown_currency": gettext_lazy("No currency has this code"),
    "unknown_time_zone": gettext_lazy("No time zone has this name"),
    "currency_in_use": gettext_lazy("Costs are booked in the present currency, so it stays"),
    "unknown_scope": gettext_lazy("A key cannot be allowed this"),
    "month_closed": gettext_lazy("The month is closed"),
    "month_open": gettext_lazy("The month cannot be closed now"),
    "project_exists": gettext_lazy("There is a project of this name already"),
    "default_project_stays": gettext_lazy("The default project cannot be put away"),
    "too_many_views": gettext_lazy("No more views can be saved: remove one first"),
    "bad_view": gettext_lazy("This page cannot be saved as a view"),
    "repricing_state": gettext_lazy("The repricing is not in a state that allows this"),
    "repricing_busy": gettext_lazy("Another repricing is at work"),
    "met_by_later_imports": gettext_lazy("Later imports told some of the same: undo them first"),
    "not_found": gettext_lazy("There is no such import"),
    "sample_data": gettext_lazy("The sample is taken out as a whole"),
    "import_unfinished": gettext_lazy("The import is still being read"),
    "already_undone": gettext_lazy("The import is undone already"),
    "undo_not_kept": gettext_lazy("What this import replaced was not kept, so it stays"),
    "bad_mapping": gettext_lazy("The mapping is not complete, or contradicts itself"),
    "bad_rule": gettext_lazy("The rule is not complete, or contradicts itself"),
}


def told(error: DomainError | FilterError) -> str:
    """An error for the reader: in English its own words, else what its code means and those behind."""
    meaning = MEANINGS.get(error.code)
    if meaning is None or (get_language() or "en").startswith("en"):
        return str(error)
    return _("%(meaning)s (%(detail)s)") % {"meaning": meaning, "detail": error}
