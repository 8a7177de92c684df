"""The forms of the settings: an organization, and its projects."""

from django import forms
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext_lazy as _

from accounting.models import Organization
from accounting.web.forms.welcome import currency_choices, zone_choices

#: Monday, Saturday and Sunday: no calendar begins its weeks on another day but that of the Maldives.
WEEK_STARTS = (0, 5, 6)


class OrganizationForm(forms.Form):
    """What holds for everybody in an organization."""

    name = forms.CharField(label=_("Name"), max_length=200, strip=True)
    currency = forms.ChoiceField(
        label=_("Currency"),
        choices=currency_choices,
        help_text=_("can be changed until something has a cost"),
    )
    time_zone = forms.ChoiceField(
        label=_("Time zone"),
        choices=zone_choices,
        help_text=_("cuts days, weeks and months; all sums are cut anew"),
    )
    week_start = forms.TypedChoiceField(
        label=_("Weeks begin on"),
        choices=[(day, WEEKDAYS[day]) for day in WEEK_STARTS],
        coerce=int,
    )

    def __init__(self, organization: Organization, data: object = None) -> None:
        now = {
            "name": organization.name,
            "currency": organization.currency,
            "time_zone": organization.time_zone,
            "week_start": organization.week_start,
        }
        super().__init__(data, initial=now)  # type: ignore[arg-type]
        # A zone that is in force stays a choice, also where it is named after no place.
        zone = self.fields["time_zone"]
        assert isinstance(zone, forms.ChoiceField)  # noqa: S101
        known = {code for code, _label in zone_choices()}
        if organization.time_zone not in known:
            zone.choices = [(organization.time_zone, organization.time_zone), *zone_choices()]


class ProjectForm(forms.Form):
    """A project's name and the cost center that usage charged to it gets."""

    name = forms.CharField(label=_("Name"), max_length=200, strip=True)
    cost_center = forms.CharField(
        label=_("Cost centre"),
        max_length=80,
        strip=True,
        required=False,
        help_text=_("for usage from now on that names none"),
    )
