"""Why a cost is not what it was: the difference of two periods as parts that sum to it.

A cost is volume × mix × length × cache × price: so many requests, shared among models, of so many
tokens each, of which some are cached, at prices. From the one period to the other these are changed in
this order; each part is what its step adds, with the steps before it taken and those after not.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import floor

from accounting.domain.money import EXACT, PICO, from_picos

#: The steps in their order, and what no step explains: charges that follow no token.
EFFECTS = ("volume", "mix", "length", "cache", "price", "other")
#: Kinds of tokens that have a price of their own; the first three are input.
_INPUT = ("uncached", "cache_read", "cache_write")
KINDS = (*_INPUT, "output")
_NOTHING = Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What one model used in one period, in one currency. tokens and costs: by KINDS.

    requests: its priced parts, failed ones too. other: what was charged for no tokens.
    """

    requests: int = 0
    tokens: Mapping[str, int] = field(default_factory=dict)
    costs: Mapping[str, Decimal] = field(default_factory=dict)
    other: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bridge:
    """From before to after: the effects, by EFFECTS, sum to the difference to the last digit."""

    before: Decimal
    after: Decimal
    effects: Mapping[str, Decimal]

    @property
    def difference(self) -> Decimal:
        """After less before."""
        return EXACT.subtract(self.after, self.before)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """One cell in one period as ratios; None where the period cannot tell one."""

    share: Fraction | None
    input: Fraction | None
    output: Fraction | None
    split: Mapping[str, Fraction] | None
    prices: Mapping[str, Fraction | None]
    other: Fraction | None


def bridge[K: Hashable](before: Mapping[K, Cell], after: Mapping[K, Cell]) -> Bridge:
    """Explain the difference between two periods, cell by cell: a model, or a model and a status.

    What only one period can tell of a cell (its lengths, its split, a price) is taken for both, so
    that a model that is new or gone is a change of the mix. Where one period has no requests at all,
    everything is volume.
    """
    volumes = (
        sum(cell.requests for cell in before.values()),
        sum(cell.requests for cell in after.values()),
    )
    costs = [_NOTHING] * len(EFFECTS)
    for key in {**before, **after}:
        one = _side(before.get(key, Cell()), volumes[0])
        two = _side(after.get(key, Cell()), volumes[1])
        cell = _costs(one, two, volumes)
        costs = [whole + part for whole, part in zip(costs, cell, strict=True)]
    first, last = _whole(before), _whole(after)
    parts = [costs[step + 1] - costs[step] for step in range(len(EFFECTS) - 1)]
    # What is charged for no tokens, and what was charged where nothing was requested.
    parts.append(Fraction(last) - Fraction(first) - sum(parts, _NOTHING))
    return Bridge(
        before=first, after=last, effects=dict(zip(EFFECTS, _rounded(parts), strict=True))
    )


def _side(cell: Cell, volume: int) -> _Side:
    tokens = {kind: cell.tokens.get(kind, 0) for kind in KINDS}
    sent = sum(tokens[kind] for kind in _INPUT)
    loose = sum((Fraction(cell.costs.get(k, 0)) for k in KINDS if not tokens[k]), _NOTHING)
    return _Side(
        share=_ratio(cell.requests, volume),
        input=_ratio(sent, cell.requests),
        output=_ratio(tokens["output"], cell.requests),
        split={kind: Fraction(tokens[kind], sent) for kind in _INPUT} if sent else None,
        prices={
            kind: Fraction(cell.costs.get(kind, 0)) / tokens[kind] if tokens[kind] else None
            for kind in KINDS
        },
        other=(Fraction(cell.other) + loose) / cell.requests if cell.requests else None,
    )


def _costs(one: _Side, two: _Side, volumes: tuple[int, int]) -> list[Fraction]:
    """What the cell would cost with the first 0 to 5 of EFFECTS taken from the later period."""
    old, new = _prices(one, two, later=False), _prices(one, two, later=True)
    split, later_split = one.split or two.split, two.split or one.split
    sent = [_either(one.input, two.input, later=later) for later in (False, True)]
    answered = [_either(one.output, two.output, later=later) for later in (False, True)]
    share = [_either(one.share, two.share, later=later) for later in (False, True)]
    other = _either(one.other, two.other, later=False)
    blended = _blended(split, old)
    first = answered[0] * old["output"] + sent[0] * blended + other
    longer = answered[1] * old["output"] + sent[1] * blended + other
    cached = answered[1] * old["output"] + sent[1] * _blended(later_split, old) + other
    priced = answered[1] * new["output"] + sent[1] * _blended(later_split, new) + other
    before, after = volumes[1] * share[0], volumes[1] * share[1]
    return [
        volumes[0] * share[0] * first,
        before * first,
        after * first,
        after * longer,
        after * cached,
        after * priced,
    ]


def _prices(one: _Side, two: _Side, *, later: bool) -> Mapping[str, Fraction]:
    return {kind: _either(one.prices[kind], two.prices[kind], later=later) for kind in KINDS}


def _blended(split: Mapping[str, Fraction] | None, prices: Mapping[str, Fraction]) -> Fraction:
    """What a token of input costs that is cached so."""
    if split is None:
        return _NOTHING
    return sum((split[kind] * prices[kind] for kind in _INPUT), _NOTHING)


def _either(one: Fraction | None, two: Fraction | None, *, later: bool) -> Fraction:
    first, second = (two, one) if later else (one, two)
    return first if first is not None else second if second is not None else _NOTHING


def _ratio(value: int, by: int) -> Fraction | None:
    return Fraction(value, by) if by else None


def _whole[K: Hashable](cells: Mapping[K, Cell]) -> Decimal:
    total = Decimal(0)
    for cell in cells.values():
        for amount in (*cell.costs.values(), cell.other):
            total = EXACT.add(total, amount)
    return total


def _rounded(parts: Sequence[Fraction]) -> list[Decimal]:
    """Parts in whole picos that add up to their sum, which is one: largest remainders go up."""
    scaled = [part * PICO for part in parts]
    floors = [floor(part) for part in scaled]
    missing = floor(sum(scaled, _NOTHING)) - sum(floors)
    order = sorted(range(len(parts)), key=lambda place: (floors[place] - scaled[place], place))
    for place in order[:missing]:
        floors[place] += 1
    return [from_picos(part) for part in floors]
