"""What changed against the range before, in an arrow, a sign and words."""

from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from accounting.queries.totals import Totals
from accounting.web import formatting
from accounting.web.formatting import Real
from accounting.web.readings import SHARES

#: From eleven times on, a percentage says less than how many times.
MANY_TIMES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A change in words, and the same for people who can't see the arrow."""

    text: str
    spoken: str


def delta(now: Real | None, before: Real | None) -> Delta | None:
    """The change of an amount; None where there is nothing to compare with."""
    if now is None or not before:
        return None
    share = Fraction(now) / Fraction(before) - 1
    if share >= MANY_TIMES:
        times = formatting.figure(int(share + 1))
        return Delta(
            text=f"▲ {times}×", spoken=_("%(times)s times the period before") % {"times": times}
        )
    size = formatting.percent(abs(share))
    if share > 0:
        return Delta(
            text=f"▲ +{size}", spoken=_("up %(share)s on the period before") % {"share": size}
        )
    if share < 0:
        text = f"▼ {formatting.MINUS}{size}"
        return Delta(text=text, spoken=_("down %(share)s on the period before") % {"share": size})
    return Delta(text=f"= {formatting.whole_percent(0)}", spoken=_("as in the period before"))


def points(now: Fraction | None, before: Fraction | None) -> Delta | None:
    """The change of a share in percentage points; None where there is nothing to compare with."""
    if now is None or before is None:
        return None
    moved = now - before
    size = formatting.points(abs(moved))
    if moved > 0:
        return Delta(
            text=f"▲ +{size}", spoken=_("up %(share)s on the period before") % {"share": size}
        )
    if moved < 0:
        text = f"▼ {formatting.MINUS}{size}"
        return Delta(text=text, spoken=_("down %(share)s on the period before") % {"share": size})
    return Delta(text="= 0", spoken=_("as in the period before"))


def metric_delta(metric: str, now: Real | None, before: Real | None) -> Delta | None:
    """The change of a metric: of a share in points, of anything else in percent."""
    if metric in SHARES:
        return points(
            None if now is None else Fraction(now), None if before is None else Fraction(before)
        )
    return delta(now, before)


def deltas(now: Totals, before: Totals | None) -> dict[str, Delta | None]:
    """The changes that the overview shows, by name; spend by currency code."""
    if before is None:
        return {}
    return {
        "requests": delta(now.requests, before.requests),
        "input": delta(now.input_tokens, before.input_tokens),
        "output": delta(now.output_tokens, before.output_tokens),
        "hit": points(now.cache_hit_rate, before.cache_hit_rate),
        "ratio": delta(now.input_output_ratio, before.input_output_ratio),
        **{cost.currency: delta(cost.amount, before.cost_in(cost.currency)) for cost in now.costs},
    }
