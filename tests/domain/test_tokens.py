"""Counts of one request: inclusive, and none that cannot be right."""

import pytest

from accounting.domain.errors import BadCountError
from accounting.domain.tokens import TokenCounts, checked, from_disjoint, from_inclusive

LIMIT = 10**12


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({"input_tokens": -1}, "input_tokens = -1, expected 0 to 999999999999"),
        ({"output_tokens": LIMIT}, "output_tokens = 1000000000000, expected 0 to 999999999999"),
        ({"web_search_requests": -2}, "web_search_requests = -2, expected 0 to 999999999999"),
        (
            {"input_tokens": 9, "cache_read_input_tokens": 5, "cache_write_input_tokens": 5},
            "cache read + cache write = 10 is more than input_tokens = 9",
        ),
        (
            {
                "cache_write_input_tokens": 9,
                "cache_write_5m_input_tokens": 5,
                "cache_write_1h_input_tokens": 5,
            },
            "5m + 1h = 10 is more than cache_write_input_tokens = 9",
        ),
        (
            {"cache_read_input_tokens": 4, "cache_read_audio_tokens": 5},
            "cache_read_audio_tokens = 5 is more than cache_read_input_tokens = 4",
        ),
        (
            {"input_tokens": 1, "tool_use_input_tokens": 2},
            "tool_use_input_tokens = 2 is more than input_tokens = 1",
        ),
        (
            {"input_tokens": 0, "input_audio_tokens": 2},
            "input_audio_tokens = 2 is more than input_tokens = 0",
        ),
        (
            {"input_tokens": 0, "output_tokens": -1},
            f"output_tokens = -1, expected 0 to {LIMIT - 1}",
        ),
        (
            {"input_tokens": 1, "input_image_tokens": 2},
            "input_image_tokens = 2 is more than input_tokens = 1",
        ),
        (
            {"output_tokens": 1, "reasoning_output_tokens": 2},
            "reasoning_output_tokens = 2 is more than output_tokens = 1",
        ),
        (
            {"output_tokens": 1, "output_audio_tokens": 2},
            "output_audio_tokens = 2 is more than output_tokens = 1",
        ),
        (
            {"output_tokens": 1, "output_image_tokens": 2},
            "output_image_tokens = 2 is more than output_tokens = 1",
        ),
        (
            {"output_tokens": 1, "output_citation_tokens": 2},
            "output_citation_tokens = 2 is more than output_tokens = 1",
        ),
    ],
)
def test_what_cannot_be_right_is_refused_by_name(counts, said):
    with pytest.raises(BadCountError) as refused:
        from_inclusive(**counts)
    assert str(refused.value) == said


@pytest.mark.parametrize(
    "counts",
    [
        {},
        {"input_tokens": 0, "output_tokens": LIMIT - 1},
        # A part may be its whole.
        {"input_tokens": 9, "cache_read_input_tokens": 4, "cache_write_input_tokens": 5},
        {"cache_write_input_tokens": 9, "cache_write_5m_input_tokens": 4}
        | {"cache_write_1h_input_tokens": 5},
        {"cache_read_input_tokens": 5, "cache_read_audio_tokens": 5},
        {"input_tokens": 2, "tool_use_input_tokens": 2, "input_audio_tokens": 2},
        {"output_tokens": 2, "reasoning_output_tokens": 2, "output_audio_tokens": 2},
        # A part of something unknown may be anything.
        {"cache_read_input_tokens": 5, "reasoning_output_tokens": 7, "input_audio_tokens": 3},
        {"cache_read_audio_tokens": 3, "cache_write_5m_input_tokens": 3},
        # Modalities and kinds cross each other, so they may sum to more than the whole.
        {"input_tokens": 3, "input_audio_tokens": 3, "cache_read_input_tokens": 3},
        {"output_tokens": 3, "reasoning_output_tokens": 3, "output_citation_tokens": 3},
    ],
)
def test_what_can_be_right_stays_as_it_is(counts):
    told = TokenCounts(**counts)
    assert checked(told) is told
    assert from_inclusive(**counts) == told


@pytest.mark.parametrize(
    ("buckets", "whole"),
    [
        ((10, 20, 30), 60),
        ((10, None, None), 10),
        ((None, 20, None), 20),
        ((None, None, 0), 0),
        ((None, None, None), None),
    ],
)
def test_buckets_told_apart_are_summed_and_unknown_only_where_all_are(buckets, whole):
    uncached, read, written = buckets
    told = from_disjoint(uncached=uncached, cache_read=read, cache_write=written, output_tokens=7)
    assert told == TokenCounts(
        input_tokens=whole,
        cache_read_input_tokens=read,
        cache_write_input_tokens=written,
        output_tokens=7,
    )


def test_buckets_told_apart_are_checked_too():
    with pytest.raises(BadCountError, match="input_tokens = -1"):
        from_disjoint(uncached=-1, cache_read=None, cache_write=None)


@pytest.mark.parametrize(
    ("counts", "uncached"),
    [
        ({"input_tokens": 10, "cache_read_input_tokens": 4, "cache_write_input_tokens": 5}, 1),
        ({"input_tokens": 10, "cache_write_input_tokens": 5}, 5),
        ({"input_tokens": 10, "cache_read_input_tokens": 4}, 6),
        ({"cache_read_input_tokens": 4}, None),
    ],
)
def test_what_no_cache_had_to_do_with_is_the_rest(counts, uncached):
    assert TokenCounts(**counts).uncached_input_tokens == uncached
