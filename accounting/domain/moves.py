"""Why a ratio of sums moved: parts whose own ratio changed, and parts whose weight in it did."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction

_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One part of a ratio: its share of the numerator and of the denominator."""

    numerator: int = 0
    denominator: int = 0

    @property
    def ratio(self) -> Fraction | None:
        """The part's own ratio; None while its denominator is 0."""
        return Fraction(self.numerator, self.denominator) if self.denominator else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What one part adds to the change of the whole ratio.

    own: because its own ratio changed. weight: because it became a greater or lesser part of the
    whole; positive where a part better than the whole grew, or a worse one shrank.
    """

    before: Fraction | None
    after: Fraction | None
    own: Fraction
    weight: Fraction

    @property
    def whole(self) -> Fraction:
        """Both together; over all parts they sum to the change of the whole."""
        return self.own + self.weight


def moves[K: Hashable](before: Mapping[K, Share], after: Mapping[K, Share]) -> dict[K, Move] | None:
    """Each part's contribution to whole(after) - whole(before); None where either whole is unknown.

    Each of the two causes is taken at the mean of the other before and after, so that nothing is left
    over and no order is preferred. A part that is only in one of the two has changed its weight.
    """
    old, new = (sum(part.denominator for part in side.values()) for side in (before, after))
    if not old or not new:
        return None
    middle = _HALF * (
        Fraction(sum(part.numerator for part in before.values()), old)
        + Fraction(sum(part.numerator for part in after.values()), new)
    )
    found = {}
    for key in {**before, **after}:
        one, two = before.get(key, Share()), after.get(key, Share())
        was, is_now = one.ratio, two.ratio
        start = (was if was is not None else is_now) or Fraction(0)
        end = (is_now if is_now is not None else was) or Fraction(0)
        share_was, share_is = Fraction(one.denominator, old), Fraction(two.denominator, new)
        found[key] = Move(
            before=was,
            after=is_now,
            own=_HALF * (share_was + share_is) * (end - start),
            weight=(share_is - share_was) * (_HALF * (start + end) - middle),
        )
    return found
