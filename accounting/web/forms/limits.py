"""The form of limits for benchmark runs: how long one may wait for the first token and for each."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

LONGEST_MS = 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Latencies in ms that 95 % of a run's requests must not exceed; None is no limit."""

    ttft_ms: float | None
    tpot_ms: float | None


def _limit(label: "_StrPromise", hint: "_StrPromise | str") -> forms.FloatField:
    return forms.FloatField(
        label=label,
        help_text=hint,
        required=False,
        min_value=0,
        max_value=LONGEST_MS,
        widget=forms.NumberInput(attrs={"step": "any", "min": "0"}),
    )


class LimitsForm(forms.Form):
    """Limits as the address gives them."""

    ttft = _limit(_("TTFT ≤ ms"), _("time to the first token"))
    tpot = _limit(_("TPOT ≤ ms"), _("time per output token"))

    def limits(self) -> Limits | None:
        """The limits; None where none is given, or one is refused."""
        if not self.is_valid():
            return None
        ttft, tpot = self.cleaned_data["ttft"], self.cleaned_data["tpot"]
        return None if ttft is None and tpot is None else Limits(ttft_ms=ttft, tpot_ms=tpot)
