"""The form that says what a table's columns are. Nothing is guessed: all is empty until chosen."""

from collections.abc import Mapping, Sequence
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounting.domain.usage import PURPOSES
from ingest.formats.mapping_definition import EPOCHS, FIELDS, FIXED, MS_PER_UNIT
from ingest.services.mappings import Column

MEANINGS: dict[str, Promise] = {
    "started_at": gettext_lazy("start time"),
    "model": gettext_lazy("model"),
    "provider": gettext_lazy("provider"),
    "input_tokens": gettext_lazy("input tokens"),
    "cache_read_input_tokens": gettext_lazy("cached input tokens (read)"),
    "cache_write_input_tokens": gettext_lazy("input tokens written to cache"),
    "output_tokens": gettext_lazy("output tokens"),
    "reasoning_output_tokens": gettext_lazy("reasoning tokens"),
    "reported_cost": gettext_lazy("cost, as the source says"),
    "status": gettext_lazy("status"),
    "response_id": gettext_lazy("response id"),
    "request_id": gettext_lazy("request id"),
    "session_id": gettext_lazy("session"),
    "user_id": gettext_lazy("user"),
    "duration": gettext_lazy("duration"),
    "ttft": gettext_lazy("time to first token"),
    "tpot": gettext_lazy("time per output token"),
}
TIMES: tuple[tuple[str, Promise], ...] = (
    ("", gettext_lazy("– choose –")),
    ("iso", gettext_lazy("ISO 8601, as 2026-11-30T14:05:00Z")),
    ("epoch_s", gettext_lazy("seconds since 1970")),
    ("epoch_ms", gettext_lazy("milliseconds since 1970")),
    ("epoch_us", gettext_lazy("microseconds since 1970")),
    ("pattern", gettext_lazy("another pattern")),
)
CONVENTIONS = (
    ("", gettext_lazy("– choose if cached tokens are a column –")),
    ("inclusive", gettext_lazy("input contains the cached tokens")),
    ("disjoint", gettext_lazy("cached tokens stand beside input")),
)
REASONING = (
    ("", gettext_lazy("– choose if reasoning is a column –")),
    ("included", gettext_lazy("output contains reasoning")),
    ("separate", gettext_lazy("reasoning stands beside output")),
)
assert set(EPOCHS) < {value for value, _label in TIMES}  # noqa: S101


def _zones() -> list[tuple[str, str]]:
    return [("", "–"), *((zone, zone) for zone in sorted(available_timezones()) if "/" in zone)]


class MappingForm(forms.Form):
    """What holds for the whole table; its columns travel beside it as pairs of column and means."""

    name = forms.CharField(label=gettext_lazy("Save as"), max_length=100)
    time = forms.ChoiceField(label=gettext_lazy("Times are"), choices=TIMES, required=False)
    pattern = forms.CharField(
        label=gettext_lazy("Pattern of times"),
        max_length=60,
        required=False,
        help_text=gettext_lazy("as %Y/%m/%d %H:%M:%S"),
    )
    zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"),
        choices=_zones,
        required=False,
        help_text=gettext_lazy("of times without an offset"),
    )
    convention = forms.ChoiceField(
        label=gettext_lazy("Cached tokens"), choices=CONVENTIONS, required=False
    )
    reasoning = forms.ChoiceField(
        label=gettext_lazy("Reasoning tokens"), choices=REASONING, required=False
    )
    duration_unit = forms.ChoiceField(
        label=gettext_lazy("Durations are in"),
        choices=[("", "–"), *((unit, unit) for unit in MS_PER_UNIT)],
        required=False,
    )
    currency = forms.CharField(
        label=gettext_lazy("Currency of costs"), max_length=3, required=False
    )
    statuses = forms.CharField(
        label=gettext_lazy("Statuses"),
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("one a line: what a cell says = ok, error or pending"),
    )
    empty = forms.CharField(
        label=gettext_lazy("Cells that mean unknown"),
        max_length=200,
        required=False,
        help_text=gettext_lazy("separated by commas, as -, N/A"),
    )
    purpose = forms.ChoiceField(
        label=gettext_lazy("Counts as"),
        choices=[(purpose, purpose) for purpose in PURPOSES],
        required=False,
    )
    fixed_model = forms.CharField(label=gettext_lazy("All rows: model"), required=False)
    fixed_provider = forms.CharField(label=gettext_lazy("All rows: provider"), required=False)
    fixed_project = forms.CharField(label=gettext_lazy("All rows: project"), required=False)
    sheet = forms.CharField(
        label=gettext_lazy("Sheet"),
        max_length=100,
        required=False,
        help_text=gettext_lazy("of a workbook with several"),
    )

    def definition(self, query: QueryDict) -> dict[str, Any]:
        """The mapping that was said, in the layout of its file; what is empty is left out."""
        said = self.cleaned_data
        columns: dict[str, str] = {}
        for column, means in zip(query.getlist("column"), query.getlist("means"), strict=False):
            if means and means in columns:
                first = columns[means]
                raise forms.ValidationError(
                    _("%(first)s and %(second)s are both said to be %(means)s.")
                    % {"first": first, "second": column, "means": means}
                )
            if means:
                columns[means] = column
        found: dict[str, Any] = {
            "name": said["name"],
            "columns": columns,
            "fixed": {name: said[f"fixed_{name}"] for name in _FIXED if said[f"fixed_{name}"]},
            "time": said["pattern"] if said["time"] == "pattern" else said["time"],
            "statuses": dict(_pairs(said["statuses"])),
            "empty": [word for each in said["empty"].split(",") if (word := each.strip())],
            "currency": said["currency"].upper(),
        }
        for name in ("zone", "convention", "reasoning", "duration_unit", "purpose", "sheet"):
            found[name] = said[name]
        return {name: value for name, value in found.items() if value}


_FIXED = tuple(name for name in FIXED if f"fixed_{name}" in MappingForm.base_fields)


def columns_said(
    columns: Sequence[Column], said: Mapping[str, str]
) -> list[tuple[Column, list[tuple[str, str, bool]]]]:
    """Each column with the choices of its meaning: value, label, whether it is the chosen one."""
    return [
        (
            column,
            [
                (name, str(MEANINGS.get(name, name)), said.get(column.name) == name)
                for name in FIELDS
            ],
        )
        for column in columns
    ]


def _pairs(text: str) -> list[tuple[str, str]]:
    """Lines of cell = status; one without a sign is given no status, which the check refuses."""
    pairs = (line.rpartition("=") for line in text.splitlines() if line.strip())
    return [
        (cell.strip() or status.strip(), status.strip() if cell else "")
        for cell, _, status in pairs
    ]
