"""Why a ratio of sums moved: parts that changed, and parts that weigh more or less."""

from fractions import Fraction

import pytest

from accounting.domain.moves import Share, moves


def share(numerator, denominator):
    return Share(numerator=numerator, denominator=denominator)


def told(found):
    return {key: (str(move.own), str(move.weight)) for key, move in found.items()}


@pytest.mark.parametrize(
    ("before", "after", "parts"),
    [
        # A half of 10 becomes four fifths: all of it its own.
        ({"a": (5, 10)}, {"a": (8, 10)}, {"a": ("3/10", "0")}),
        # Each as good as before, but the better one is now three quarters of all.
        (
            {"a": (10, 10), "b": (0, 10)},
            {"a": (30, 30), "b": (0, 10)},
            {"a": ("0", "3/32"), "b": ("0", "5/32")},
        ),
        # A part that is new, or gone, only weighs.
        (
            {"a": (5, 10)},
            {"a": (5, 10), "b": (10, 10)},
            {"a": ("0", "1/16"), "b": ("0", "3/16")},
        ),
        (
            {"a": (5, 10), "b": (10, 10)},
            {"a": (5, 10)},
            {"a": ("0", "-1/16"), "b": ("0", "-3/16")},
        ),
        # Both at once: from 1/5 to 2/5 at the mean weight of 3/8, from 1/2 to 1/4 in its weight.
        (
            {"a": (2, 10), "b": (5, 10)},
            {"a": (4, 10), "b": (15, 30)},
            {"a": ("3/40", "9/320"), "b": ("0", "7/320")},
        ),
        # A part without anything in it has no ratio and adds nothing.
        ({"a": (5, 10), "b": (0, 0)}, {"a": (5, 10), "b": (0, 0)}, None),
    ],
)
def test_a_part_adds_what_changed_in_it_and_what_it_weighs(before, after, parts):
    found = moves(
        {key: share(*one) for key, one in before.items()},
        {key: share(*one) for key, one in after.items()},
    )
    if parts is None:
        parts = {"a": ("0", "0"), "b": ("0", "0")}
    assert told(found) == parts


def test_a_part_says_its_ratios_before_and_after():
    found = moves({"a": share(5, 10)}, {"a": share(8, 10), "b": share(1, 4)})
    assert (found["a"].before, found["a"].after) == (Fraction(1, 2), Fraction(4, 5))
    assert (found["b"].before, found["b"].after) == (None, Fraction(1, 4))
    assert sum(move.whole for move in found.values()) == Fraction(9, 14) - Fraction(1, 2)


@pytest.mark.parametrize(
    ("before", "after"),
    [({}, {"a": share(1, 2)}), ({"a": share(1, 2)}, {}), ({"a": share(0, 0)}, {"a": share(1, 2)})],
)
def test_without_a_whole_before_and_after_nothing_moves(before, after):
    assert moves(before, after) is None
