"""Which usage is rated again: days and, where wanted, one model or provider."""

from datetime import timedelta

from django import forms
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounting.models import UsageHour
from accounting.web.forms.prices import DayField

FILTERS = ("provider", "model")


class RepriceForm(forms.Form):
    """Days, half-open, and conditions."""

    first = DayField(label=gettext_lazy("From"))
    end = DayField(label=gettext_lazy("Up to, not including"))
    provider = forms.ChoiceField(label=gettext_lazy("Provider"), required=False)
    model = forms.ChoiceField(label=gettext_lazy("Model"), required=False)

    def __init__(self, organization_id: int, data: object = None) -> None:
        today = timezone.localdate()
        initial = {"first": today.replace(day=1), "end": today + timedelta(days=1)}
        super().__init__(data, initial=initial)  # type: ignore[arg-type]
        hours = UsageHour.objects.of(organization_id)
        for name in FILTERS:
            values = hours.exclude(**{name: ""}).values_list(name, flat=True).distinct()
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101
            field.choices = [("", _("all")), *((value, value) for value in values.order_by(name))]

    def asked(self) -> dict[str, list[str]]:
        """The parameters of the one filter grammar that these fields mean."""
        found = self.cleaned_data
        days = {"from": [found["first"].isoformat()], "to": [found["end"].isoformat()]}
        return days | {name: [found[name]] for name in FILTERS if found[name]}
