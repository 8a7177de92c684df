"""How a latency reads, and which band it falls into: what people feel while they wait and read."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounting.web import formatting

type Bands = tuple[tuple[float, Promise, str], ...]

#: The highest latency of a band in ms, what it is called, and its colour; the last has no end.
BEYOND = float("inf")
TTFT: Bands = (
    (1_000, _("good"), "good"),
    (2_000, _("acceptable"), ""),
    (BEYOND, _("slow"), "danger"),
)
TPOT: Bands = (
    (30, _("fast"), "good"),
    (60, _("comfortable"), "good"),
    (100, _("acceptable"), ""),
    (200, _("slow"), "caution"),
    (BEYOND, _("stutters"), "danger"),
)
BANDS = {"ttft": TTFT, "tpot": TPOT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """One latency. band: what it is called, '' where nothing was measured; tone: its colour.

    is_told: it comes from the run's own summary, not from its requests.
    """

    text: str
    band: Promise | str = ""
    tone: str = ""
    is_told: bool = False


def latency(milliseconds: float | None, kind: str, *, is_told: bool = False) -> Latency:
    """A latency in words. kind: 'ttft' or 'tpot'."""
    if milliseconds is None:
        return Latency(text=formatting.UNKNOWN)
    _highest, band, tone = next(one for one in BANDS[kind] if milliseconds <= one[0])
    return Latency(
        text=formatting.milliseconds(milliseconds), band=band, tone=tone, is_told=is_told
    )
