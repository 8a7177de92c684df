"""What can be billed: the units, what each contains, and how counts are told in them.

A unit is a set of dimensions; a unit whose dimensions include another's is a part of it, so that
input.cache_read.audio is part of input.cache_read, of input.audio and of input.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from operator import attrgetter

from accounting.domain.errors import BadCountError
from accounting.domain.tokens import TokenCounts

MTOK = 1_000_000
#: The cost parts an event keeps, in the order of its columns.
PARTS = ("input", "cache_read", "cache_write", "output", "other")
INPUT, OUTPUT, REQUESTS = "input", "output", "requests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Something countable that can have a price.

    code: its name in rates. per: how many of it a price is quoted for, unless the rate says
    otherwise. dimensions: (name, value) pairs; family says what is counted.
    """

    code: str
    per: int
    dimensions: frozenset[tuple[str, str]]

    @property
    def is_token(self) -> bool:
        """Whether tokens are counted."""
        return ("family", "tokens") in self.dimensions

    @property
    def part(self) -> str:
        """The cost part of an event that its charges belong to."""
        kinds = dict(self.dimensions)
        if kinds["family"] != "tokens":
            return "other"
        if kinds["direction"] == "output":
            return "output"
        kind = kinds.get("token_type", "")
        return kind if kind in PARTS else "input"


def token_units() -> list[Unit]:
    """The units of tokens: each direction and kind, of any modality and of each one."""
    kinds: dict[str, list[tuple[str, dict[str, str]]]] = {
        "input": [
            ("", {}),
            (".cache_read", {"token_type": "cache_read"}),
            (".cache_write", {"token_type": "cache_write"}),
            (".cache_write.5m", {"token_type": "cache_write", "cache_ttl": "5m"}),
            (".cache_write.1h", {"token_type": "cache_write", "cache_ttl": "1h"}),
            (".tool", {"token_type": "tool"}),
        ],
        "output": [
            ("", {}),
            (".reasoning", {"token_type": "reasoning"}),
            (".citation", {"token_type": "citation"}),
        ],
    }
    units = []
    for direction, modality in product(kinds, ("", "text", "audio", "image", "video")):
        for suffix, kind in kinds[direction]:
            dimensions = {"family": "tokens", "direction": direction, **kind}
            if modality:
                dimensions["modality"] = modality
            code = f"{direction}{suffix}" + (f".{modality}" if modality else "")
            units.append(_unit(code, MTOK, **dimensions))
    return units


def _unit(code: str, per: int, **dimensions: str) -> Unit:
    return Unit(code=code, per=per, dimensions=frozenset(dimensions.items()))


#: Every unit by its code. The names of what is not a token are those of the built-in list.
UNITS: Mapping[str, Unit] = {
    unit.code: unit
    for unit in (
        *token_units(),
        _unit("input_characters", 1_000_000, family="characters", direction="input"),
        _unit("input_text_messages", 1_000, family="messages", direction="input"),
        _unit("audio_seconds", 3_600, family="durations", modality="audio"),
        _unit(
            "input_audio_seconds", 3_600, family="durations", modality="audio", direction="input"
        ),
        _unit(
            "output_audio_seconds", 3_600, family="durations", modality="audio", direction="output"
        ),
        _unit("input_pixels", 1_000_000_000, family="pixels", direction="input"),
        _unit("input_document_pages", 1_000, family="document_pages", direction="input"),
        _unit(
            "input_annotated_document_pages",
            1_000,
            family="document_pages",
            direction="input",
            page_type="annotated",
        ),
        _unit("rerank_searches", 1_000, family="rerank"),
        _unit("web_searches", 1_000, family="tool_calls", tool_type="web_search"),
        _unit("social_searches", 1_000, family="tool_calls", tool_type="social_search"),
        _unit("storage_searches", 1_000, family="tool_calls", tool_type="storage_search"),
        _unit("code_executions", 1_000, family="tool_calls", tool_type="code_execution"),
        _unit(REQUESTS, 1_000, family="requests"),
    )
}

#: The counts of a request -> the unit they are counted in.
UNIT_OF_COUNT: Mapping[str, str] = {
    "input_tokens": "input",
    "cache_read_input_tokens": "input.cache_read",
    "cache_write_input_tokens": "input.cache_write",
    "cache_write_5m_input_tokens": "input.cache_write.5m",
    "cache_write_1h_input_tokens": "input.cache_write.1h",
    "tool_use_input_tokens": "input.tool",
    "input_audio_tokens": "input.audio",
    "cache_read_audio_tokens": "input.cache_read.audio",
    "input_image_tokens": "input.image",
    "output_tokens": "output",
    "reasoning_output_tokens": "output.reasoning",
    "output_audio_tokens": "output.audio",
    "output_image_tokens": "output.image",
    "output_citation_tokens": "output.citation",
    "web_search_requests": "web_searches",
}
#: What else price tables call a unit; the names of counts and of units themselves are known anyway.
OTHER_NAMES: Mapping[str, str] = {
    "cached_input": "input.cache_read",
    "cached": "input.cache_read",
    "cache_read": "input.cache_read",
    "cache_read_tokens": "input.cache_read",
    "cache_audio_read_tokens": "input.cache_read.audio",
    "cache_write": "input.cache_write",
    "cache_write_tokens": "input.cache_write",
    "cache_write_5m": "input.cache_write.5m",
    "cache_write_5m_tokens": "input.cache_write.5m",
    "cache_write_1h": "input.cache_write.1h",
    "cache_write_1h_tokens": "input.cache_write.1h",
    "input_tool_tokens": "input.tool",
    "reasoning": "output.reasoning",
    "output_reasoning_tokens": "output.reasoning",
    "web_search": "web_searches",
    "request": REQUESTS,
}
_CODES = tuple(UNIT_OF_COUNT.values())
_COUNTS = attrgetter(*UNIT_OF_COUNT)
_WRITE = _CODES.index("input.cache_write")


@cache
def contains(whole: str, part: str) -> bool:
    """Whether every `part` is also a `whole`; a unit contains itself."""
    if whole == part:
        return True
    one, two = UNITS.get(whole), UNITS.get(part)
    return one is not None and two is not None and one.dimensions <= two.dimensions


def union(one: str, two: str) -> str | None:
    """The unit of what is counted in both, or None where nothing can be in both."""
    dimensions = UNITS[one].dimensions | UNITS[two].dimensions
    if len(dict(dimensions)) < len(dimensions):
        return None
    return _BY_DIMENSIONS.get(dimensions)


def unit_named(name: str) -> str | None:
    """The code of a unit that a price table names, or None where nobody knows it."""
    name = name.strip().lower()
    if name in UNITS:
        return name
    return UNIT_OF_COUNT.get(name) or OTHER_NAMES.get(name)


def part_of_cost(code: str) -> str:
    """The cost part that charges for a unit belong to; 'other' for units nobody knows."""
    unit = UNITS.get(code)
    return unit.part if unit else "other"


def is_token(code: str) -> bool:
    """Whether a unit counts tokens."""
    unit = UNITS.get(code)
    return unit is not None and unit.is_token


def cache_write_of(counts: TokenCounts) -> int | None:
    """The tokens written to a cache: as told, else the sum of those kept 5 minutes and 1 hour."""
    if counts.cache_write_input_tokens is not None:
        return counts.cache_write_input_tokens
    short, long = counts.cache_write_5m_input_tokens, counts.cache_write_1h_input_tokens
    return (short or 0) + (long or 0) if short or long else None


def unit_counts(counts: TokenCounts) -> dict[str, int]:
    """What was used, by unit code: the counts above 0.

    A cache write told only by its 5-minute and 1-hour parts is their sum. Raises BadCountError for
    a further unit that is one of the counts already.
    """
    told = _COUNTS(counts)
    used = {code: count for code, count in zip(_CODES, told, strict=True) if count}
    if told[_WRITE] is None and (written := cache_write_of(counts)):
        used["input.cache_write"] = written
    for code, count in counts.other_units:
        if code in used:
            raise BadCountError(f"{code} is counted twice: {used[code]} and {count}")
        if count:
            used[code] = count
    return used


_BY_DIMENSIONS = {unit.dimensions: code for code, unit in UNITS.items()}
