"""How usage mixes its tokens: what estimates are prefilled with."""

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from accounting.domain.credits import Mix
from accounting.queries.filters import UsageFilter
from accounting.queries.spend import usage_table
from accounting.queries.totals import Totals

_SHARE_PLACES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedMix:
    """How a segment used tokens: ratios of sums, and the mixes of its days. mix: None of no input.

    request_tokens: the input of a request on average, whole tokens, 0 where nothing was used.
    """

    mix: Mix | None
    days: tuple[Mix, ...]
    requests: int
    request_tokens: int
    models: tuple[tuple[str, str], ...]


def observed_mix(segment: UsageFilter) -> ObservedMix:
    """How a filter's usage mixes tokens, over all of it and day by day. Two statements."""
    days = usage_table(replace(segment, bucket="day", group="", sub=""))
    whole = days.totals
    models = usage_table(replace(segment, bucket="", group="provider", sub="model"))
    most = sorted(models.rows, key=lambda row: -(row.totals.input_tokens or 0))
    return ObservedMix(
        mix=_mix(whole),
        days=tuple(mix for row in days.rows if (mix := _mix(row.totals))),
        requests=whole.requests,
        request_tokens=(whole.input_tokens or 0) // whole.requests if whole.requests else 0,
        models=tuple(
            (row.group.value, row.sub.value)
            for row in most[:5]
            if row.group and row.sub and row.sub.value
        ),
    )


def _mix(totals: Totals) -> Mix | None:
    """The mix of sums; None without input."""
    whole = totals.input_tokens
    if not whole:
        return None
    cached = _share(totals.cache_hit_rate or Fraction(0))
    written = _share(Fraction(totals.cache_write_input_tokens or 0, whole))
    return Mix(
        cached_share=cached,
        # Reads are a share of the requests that tell of them, writes of all.
        written_share=min(written, 1 - cached),
        output_per_input=_share(Fraction(totals.output_tokens or 0, whole)),
    )


def _share(value: Fraction) -> Decimal:
    return Decimal(f"{round(value, _SHARE_PLACES):.{_SHARE_PLACES}f}")
