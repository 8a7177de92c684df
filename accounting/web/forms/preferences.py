"""The form with which readers choose language, theme and how large numbers read."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounting.web.preferences import COUNTINGS, LANGUAGES, THEMES


class PreferencesForm(forms.Form):
    """Only what is sent is chosen, so that a button of the frame may send one of them."""

    language = forms.ChoiceField(label=_("Language"), choices=LANGUAGES, required=False)
    theme = forms.ChoiceField(label=_("Theme"), choices=THEMES, required=False)
    counting = forms.ChoiceField(label=_("Large numbers"), choices=COUNTINGS, required=False)
