"""The lattice of units."""

import pytest

from accounting.domain.errors import BadCountError
from accounting.domain.tokens import TokenCounts
from accounting.domain.units import contains, part_of_cost, union, unit_counts, unit_named


@pytest.mark.parametrize(
    ("whole", "part", "holds"),
    [
        ("input", "input", True),
        ("input", "input.cache_write.1h", True),
        ("input.cache_write", "input.cache_write.1h", True),
        ("input.cache_write", "input.cache_read", False),
        ("input.audio", "input.cache_read.audio", True),
        ("output", "input", False),
        ("audio_seconds", "input_audio_seconds", True),
        ("widgets", "widgets", True),
        ("input", "widgets", False),
    ],
)
def test_a_unit_contains_those_with_all_its_dimensions(whole, part, holds):
    assert contains(whole, part) is holds


def test_two_units_meet_in_the_one_with_the_dimensions_of_both():
    assert union("input.audio", "input.cache_read") == "input.cache_read.audio"
    assert union("input.cache_read", "input.cache_write") is None


@pytest.mark.parametrize(
    ("unit", "part"),
    [
        ("input", "input"),
        ("input.audio", "input"),
        ("input.tool", "input"),
        ("input.cache_read.audio", "cache_read"),
        ("input.cache_write.1h", "cache_write"),
        ("output.reasoning", "output"),
        ("web_searches", "other"),
        ("widgets", "other"),
    ],
)
def test_every_unit_has_one_part_of_the_cost(unit, part):
    assert part_of_cost(unit) == part


def test_a_cache_write_told_by_its_parts_is_their_sum():
    counts = TokenCounts(
        input_tokens=9, cache_write_5m_input_tokens=3, cache_write_1h_input_tokens=2
    )
    assert unit_counts(counts)["input.cache_write"] == 5


def test_a_unit_counted_twice_is_an_error():
    with pytest.raises(BadCountError, match="output"):
        unit_counts(TokenCounts(output_tokens=5, other_units=(("output", 1),)))


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("input.cache_read", "input.cache_read"),
        ("cache_read_input_tokens", "input.cache_read"),
        ("Input_Tokens", "input"),
        ("widgets", None),
    ],
)
def test_price_tables_may_name_a_unit_by_its_count(name, code):
    assert unit_named(name) == code
