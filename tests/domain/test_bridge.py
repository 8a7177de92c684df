"""Why a cost is not what it was: one cause at a time, and what no cause explains."""

from decimal import Decimal

import pytest

from accounting.domain.bridge import EFFECTS, Cell, bridge

KINDS = {"uncached": "0.5", "cache_read": "0.1", "cache_write": "0.625", "output": "2"}


def cell(requests=1, other=0, prices=KINDS, **millions):
    """Requests with so many million tokens of each kind together, at prices per million."""
    return Cell(
        requests=requests,
        tokens={kind: count * 1_000_000 for kind, count in millions.items()},
        costs={kind: Decimal(prices[kind]) * count for kind, count in millions.items()},
        other=Decimal(other),
    )


def moved(before, after):
    found = bridge(before, after).effects
    assert tuple(found) == EFFECTS
    return {name: str(amount) for name, amount in found.items() if amount}


OPAL = cell(uncached=1, output=1)
DEARER = KINDS | {"uncached": "0.7"}


@pytest.mark.parametrize(
    ("before", "after", "effects"),
    [
        ({"opal": OPAL}, {"opal": OPAL}, {}),
        ({"opal": OPAL}, {"opal": cell(2, uncached=2, output=2)}, {"volume": "2.5"}),
        ({"opal": cell(2, uncached=2)}, {"opal": cell(uncached=1)}, {"volume": "-0.5"}),
        ({}, {"opal": OPAL}, {"volume": "2.5"}),
        ({"opal": OPAL}, {}, {"volume": "-2.5"}),
        # Longer questions and answers, twice and three times.
        (
            {"opal": OPAL},
            {"opal": cell(uncached=2, output=3)},
            {"length": "4.5"},
        ),
        # As long, but eight tenths read from the cache, or half written to it.
        (
            {"opal": cell(uncached=10)},
            {"opal": cell(uncached=2, cache_read=8)},
            {"cache": "-3.2"},
        ),
        (
            {"opal": cell(uncached=2)},
            {"opal": cell(uncached=1, cache_write=1)},
            {"cache": "0.125"},
        ),
        # As much of everything at another price.
        (
            {"opal": OPAL},
            {"opal": cell(prices=DEARER, uncached=1, output=1)},
            {"price": "0.2"},
        ),
        # Charges that follow no token: a search, a request.
        ({"opal": OPAL}, {"opal": cell(uncached=1, output=1, other="0.25")}, {"other": "0.25"}),
        # As many of them a request: then they follow the volume.
        (
            {"opal": cell(other="0.25", uncached=1)},
            {"opal": cell(2, other="0.5", uncached=2)},
            {"volume": "0.75"},
        ),
        (
            {"opal": cell(2, other="0.5", uncached=2)},
            {"opal": cell(4, other="1", uncached=4)},
            {"volume": "1.5"},
        ),
        # They come with a request more, though not with the first one.
        (
            {"opal": cell(uncached=1)},
            {"opal": cell(2, other="0.5", uncached=2)},
            {"volume": "0.5", "other": "0.5"},
        ),
        # Only one period tells what they are where a model is new or gone.
        (
            {"opal": cell(uncached=1, other="0.25")},
            {"jade": cell(uncached=1)},
            {"mix": "-0.25"},
        ),
        (
            {"opal": cell(uncached=1)},
            {"jade": cell(uncached=1, other="0.25")},
            {"mix": "0.25"},
        ),
        # Tokens that cost nothing stay free.
        (
            {"opal": Cell(requests=1, tokens={"output": 5})},
            {"opal": Cell(requests=2, tokens={"output": 10})},
            {},
        ),
        # What costs though no token of it is counted is such a charge too.
        (
            {"opal": cell(uncached=1)},
            {"opal": Cell(requests=1, costs={"uncached": Decimal("0.8")})},
            {"length": "-0.5", "other": "0.8"},
        ),
        (
            {"opal": Cell(requests=1, costs={"uncached": Decimal("0.8")})},
            {"opal": Cell(requests=2, costs={"uncached": Decimal("1.6")})},
            {"volume": "0.8"},
        ),
        # Another model in its place; a half of the requests to it.
        ({"opal": cell(uncached=1)}, {"jade": cell(uncached=4)}, {"mix": "1.5"}),
        (
            {"opal": cell(2, uncached=2)},
            {"opal": cell(uncached=1), "jade": cell(uncached=4)},
            {"mix": "1.5"},
        ),
        # Charged, but nobody asked: no step tells of it.
        ({"opal": cell(0, uncached=1)}, {"opal": cell(0, uncached=3)}, {"other": "1"}),
        ({}, {}, {}),
    ],
)
def test_one_cause_at_a_time(before, after, effects):
    assert moved(before, after) == effects


def test_each_cause_is_taken_with_those_before_it_changed_and_those_after_not():
    before = {"opal": cell(2, uncached=20)}
    after = {"opal": cell(3, prices={"uncached": "0.7", "cache_read": "0.3"},
                          uncached=24, cache_read=36)}  # fmt: skip
    # Two requests of 10 at 0.5 are 10. One more: 15. Twice as long: 30. Six tenths cached, at 0.3
    # before and after as only the later period knows: 6 + 5.4 * 2 = 22.8. At 0.7: 16.8 + 10.8.
    assert moved(before, after) == {
        "volume": "5",
        "length": "15",
        "cache": "-7.2",
        "price": "4.8",
    }


def test_a_model_that_is_gone_is_a_change_of_the_mix_at_its_own_lengths_and_prices():
    before = {"opal": cell(uncached=2, cache_read=2), "jade": cell(output=3)}
    after = {"opal": cell(2, uncached=4, cache_read=4)}
    found = bridge(before, after)
    assert (found.before, found.after, found.difference) == (
        Decimal("7.2"),
        Decimal("2.4"),
        Decimal("-4.8"),
    )
    assert {name: str(one) for name, one in found.effects.items() if one} == {"mix": "-4.8"}


def test_thirds_are_shared_out_to_whole_picos_that_add_up():
    third = Cell(requests=3, tokens={"output": 3}, costs={"output": Decimal(1)})
    more = Cell(requests=4, tokens={"output": 5}, costs={"output": Decimal(2)})
    found = bridge({"opal": third}, {"opal": more})
    # One request more at a third; four of 5/4 at a third less 4/3; five at 2/5 less 5/3. Of three
    # equal remainders the first goes up.
    assert {name: str(one) for name, one in found.effects.items() if one} == {
        "volume": "0.333333333334",
        "length": "0.333333333333",
        "price": "0.333333333333",
    }
    assert sum(found.effects.values()) == 1


def test_the_largest_remainder_goes_up():
    before = Cell(requests=3, tokens={"output": 3}, costs={"output": Decimal(1)})
    after = Cell(requests=4, tokens={"output": 6}, costs={"output": Decimal(2)})
    found = bridge({"opal": before}, {"opal": after})
    # One request more at a third, then half as long again: two thirds.
    assert {name: str(one) for name, one in found.effects.items() if one} == {
        "volume": "0.333333333333",
        "length": "0.666666666667",
    }


def test_costs_are_added_without_rounding():
    large = Cell(requests=1, other=Decimal("1000000000000000000000000000000.000000000001"))
    found = bridge({}, {"opal": large, "jade": large})
    assert str(found.after) == "2000000000000000000000000000000.000000000002"
    assert str(found.difference) == str(found.after)
