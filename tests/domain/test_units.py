"""The lattice of units."""

import pytest

from accounting.domain.errors import BadCountError
from accounting.domain.tokens import TokenCounts
from accounting.domain.units import (
    UNITS,
    cache_write_of,
    contains,
    is_token,
    part_of_cost,
    token_units,
    union,
    unit_counts,
    unit_named,
)

#: Each kind of token -> what tells it from the others, besides its modality.
KINDS = {
    "input": {"direction": "input"},
    "input.cache_read": {"direction": "input", "token_type": "cache_read"},
    "input.cache_write": {"direction": "input", "token_type": "cache_write"},
    "input.cache_write.5m": {
        "direction": "input",
        "token_type": "cache_write",
        "cache_ttl": "5m",
    },
    "input.cache_write.1h": {
        "direction": "input",
        "token_type": "cache_write",
        "cache_ttl": "1h",
    },
    "input.tool": {"direction": "input", "token_type": "tool"},
    "output": {"direction": "output"},
    "output.reasoning": {"direction": "output", "token_type": "reasoning"},
    "output.citation": {"direction": "output", "token_type": "citation"},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("modality", ["", "text", "audio", "image", "video"])
def test_tokens_of_every_kind_are_counted_in_any_modality_and_in_each(kind, modality):
    unit = {unit.code: unit for unit in token_units()}[f"{kind}.{modality}".rstrip(".")]
    heard = {"modality": modality} if modality else {}
    assert dict(unit.dimensions) == {"family": "tokens", **KINDS[kind], **heard}
    assert (unit.per, unit.is_token) == (1_000_000, True)


def test_there_are_forty_five_units_of_tokens_and_fourteen_of_other_things():
    assert len(token_units()) == 45
    others = {code: unit.per for code, unit in UNITS.items() if not unit.is_token}
    assert others == {
        "input_characters": 1_000_000,
        "input_text_messages": 1_000,
        "audio_seconds": 3_600,
        "input_audio_seconds": 3_600,
        "output_audio_seconds": 3_600,
        "input_pixels": 1_000_000_000,
        "input_document_pages": 1_000,
        "input_annotated_document_pages": 1_000,
        "rerank_searches": 1_000,
        "web_searches": 1_000,
        "social_searches": 1_000,
        "storage_searches": 1_000,
        "code_executions": 1_000,
        "requests": 1_000,
    }


@pytest.mark.parametrize(
    ("code", "counts"), [("output.citation", True), ("web_searches", False), ("widgets", False)]
)
def test_only_tokens_count_tokens(code, counts):
    assert is_token(code) is counts


@pytest.mark.parametrize(
    ("told", "written"),
    [
        ((7, 3, 2), 7),
        ((0, 3, 2), 0),
        ((None, 3, 2), 5),
        ((None, 3, None), 3),
        ((None, None, 2), 2),
        ((None, 0, 0), None),
        ((None, None, None), None),
    ],
)
def test_what_was_written_to_a_cache_is_told_or_the_sum_of_its_parts_or_unknown(told, written):
    whole, short, long = told
    counts = TokenCounts(
        cache_write_input_tokens=whole,
        cache_write_5m_input_tokens=short,
        cache_write_1h_input_tokens=long,
    )
    assert cache_write_of(counts) == written


def test_only_what_was_used_is_there():
    counts = TokenCounts(
        input_tokens=0,
        output_tokens=5,
        cache_write_input_tokens=0,
        cache_write_5m_input_tokens=3,
        other_units=(("gears", 0), ("nuts", 2)),
    )
    assert unit_counts(counts) == {"output": 5, "input.cache_write.5m": 3, "nuts": 2}


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
    assert union("input.image", "input.audio") is None
    assert union("input_pixels", "input_document_pages") is None
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
    with pytest.raises(BadCountError) as refused:
        unit_counts(TokenCounts(output_tokens=5, other_units=(("output", 1),)))
    assert str(refused.value) == "output is counted twice: 5 and 1"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("input.cache_read", "input.cache_read"),
        ("cache_read_input_tokens", "input.cache_read"),
        (" Input_Tokens ", "input"),
        ("cached", "input.cache_read"),
        ("request", "requests"),
        ("widgets", None),
    ],
)
def test_price_tables_may_name_a_unit_by_its_count(name, code):
    assert unit_named(name) == code
