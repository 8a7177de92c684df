"""The fields of the estimate page, filled with what the address asks and hinting at what was observed."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounting.domain.money import plain
from accounting.queries.estimates import Estimate
from accounting.web.written_numbers import read_number

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

type Params = dict[str, list[str]]

#: The fields that hold a number.
NUMBERS = frozenset(
    {
        "credits",
        "money",
        "input_tokens",
        "spread",
        "cached_share",
        "written_share",
        "output_per_input",
    }
    | {"turns", "system_tokens", "user_tokens", "answer_tokens"}
)
SHARES = ("cached_share", "written_share", "output_per_input")


def _number(label: "_StrPromise", hint: "_StrPromise | str" = "") -> forms.CharField:
    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
    return forms.CharField(label=label, help_text=hint, required=False, widget=widget)


class EstimateForm(forms.Form):
    """Reads nothing itself: the names are those of the one estimate grammar, which checks them."""

    credits = _number(gettext_lazy("Credits"))
    money = _number(gettext_lazy("or money"))
    currency = forms.CharField(label=gettext_lazy("Currency"), required=False, max_length=3)
    input_tokens = _number(
        gettext_lazy("Input tokens"), gettext_lazy("to price, with their output")
    )
    cached_share = _number(gettext_lazy("Cached share"))
    written_share = _number(gettext_lazy("Written share"))
    output_per_input = _number(gettext_lazy("Output per input"))
    spread = _number(gettext_lazy("Spread"), gettext_lazy("of low and high; 0.2 if empty"))
    turns = _number(gettext_lazy("Turns"))
    system_tokens = _number(gettext_lazy("System tokens"))
    user_tokens = _number(gettext_lazy("Question tokens"))
    answer_tokens = _number(gettext_lazy("Answer tokens"))
    models = forms.CharField(
        label=gettext_lazy("Models"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=gettext_lazy("one a line, as provider/model; those used most if empty"),
    )

    def __init__(self, params: Mapping[str, Sequence[str]], found: Estimate | None) -> None:
        filled = {name: values[0] for name, values in params.items() if values}
        filled["models"] = "\n".join(params.get("models", ()))
        super().__init__(initial=filled)
        if found and found.budget and found.budget.currency:
            self.fields["currency"].widget.attrs["placeholder"] = found.budget.currency
        observed = found.observed.mix if found else None
        for name in SHARES:
            self.fields[name].help_text = (
                _("observed: %(share)s") % {"share": plain(getattr(observed, name))}
                if observed
                else _("a share, 0 if empty")
            )

    def budget(self) -> list[forms.BoundField]:
        """What is to be spent."""
        return [self[name] for name in ("credits", "money", "currency", "input_tokens")]

    def mix(self) -> list[forms.BoundField]:
        """How requests use tokens."""
        return [self[name] for name in (*SHARES, "spread")]

    def session(self) -> list[forms.BoundField]:
        """A conversation."""
        return [self[name] for name in ("turns", "system_tokens", "user_tokens", "answer_tokens")]


def read_question(told: QueryDict) -> Params:
    """The parameters of the one estimate grammar that the form's fields mean; empty fields are none.

    Numbers may be written with separators and units; models stand one a line.
    """
    asked: Params = {}
    for name, values in told.lists():
        lines = [line.strip() for value in values for line in value.split("\n") if line.strip()]
        if lines:
            is_number = name in NUMBERS
            asked[name] = [read_number(line) if is_number else line for line in lines]
    return asked
