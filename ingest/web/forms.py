"""What a person adds to a file that does not say it itself."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounting.domain.tokens import COUNT_LIMIT


class OptionsForm(forms.Form):
    """Options of an upload; each is used only where the file is silent.

    The fields are named as `manage.py ingest --set` names them. The page's script sends them with the
    file; started_at is typed in local time and sent with its offset.
    """

    provider = forms.CharField(
        label=_("Provider"), max_length=200, required=False, help_text=_("as openai or anthropic")
    )
    model = forms.CharField(label=_("Model"), max_length=200, required=False)
    run = forms.CharField(
        label=_("Run name"), max_length=200, required=False, help_text=_("of a benchmark")
    )
    started_at = forms.DateTimeField(
        label=_("Start time"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local", "step": "1"}),
        help_text=_("of the first request, in your browser's time zone"),
    )
    input_tokens = forms.IntegerField(
        label=_("Input tokens"),
        min_value=0,
        max_value=COUNT_LIMIT - 1,
        required=False,
        help_text=_("of each request"),
    )
