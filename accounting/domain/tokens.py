"""Token counts of one request, always inclusive: a subset stands beside its total, never outside it."""

from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from accounting.domain.errors import BadCountError
from accounting.domain.values import quick

#: Counts must stay below this: larger ones are typing errors or attacks.
COUNT_LIMIT = 10**12


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCounts:
    """What one request used. None is unknown, which is not 0.

    Names follow OpenTelemetry GenAI. input_tokens = uncached + cache read + cache write + tool-use
    prompt; output_tokens includes reasoning; every other count is a subset of its total.
    web_search_requests counts calls, not tokens. other_units: further billed units by name.
    """

    input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None
    cache_write_5m_input_tokens: int | None = None
    cache_write_1h_input_tokens: int | None = None
    tool_use_input_tokens: int | None = None
    input_audio_tokens: int | None = None
    cache_read_audio_tokens: int | None = None
    input_image_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_output_tokens: int | None = None
    output_audio_tokens: int | None = None
    output_image_tokens: int | None = None
    output_citation_tokens: int | None = None
    web_search_requests: int | None = None
    other_units: tuple[tuple[str, int], ...] = ()

    @property
    def uncached_input_tokens(self) -> int | None:
        """Input that was neither read from nor written to a cache; None while input is unknown."""
        if self.input_tokens is None:
            return None
        return (
            self.input_tokens
            - (self.cache_read_input_tokens or 0)
            - (self.cache_write_input_tokens or 0)
        )


COUNT_NAMES = tuple(field.name for field in fields(TokenCounts) if field.name != "other_units")
#: Further subsets -> what they are part of.
_WHOLES = {
    "cache_read_audio_tokens": "cache_read_input_tokens",
    "tool_use_input_tokens": "input_tokens",
    "input_audio_tokens": "input_tokens",
    "input_image_tokens": "input_tokens",
    "reasoning_output_tokens": "output_tokens",
    "output_audio_tokens": "output_tokens",
    "output_image_tokens": "output_tokens",
    "output_citation_tokens": "output_tokens",
}
_COUNTS = attrgetter(*COUNT_NAMES)
_PARTS = attrgetter(*_WHOLES)


def checked(counts: TokenCounts) -> TokenCounts:
    """The same counts, or BadCountError naming the first one that cannot be right."""
    told = [value for value in _COUNTS(counts) if value is not None]
    if told and not 0 <= min(told) <= max(told) < COUNT_LIMIT:
        raise _bad_count(counts)
    read, write = counts.cache_read_input_tokens or 0, counts.cache_write_input_tokens or 0
    if read or write:
        _within("cache read + cache write", read + write, "input_tokens", counts.input_tokens)
    split = (counts.cache_write_5m_input_tokens or 0) + (counts.cache_write_1h_input_tokens or 0)
    if split:
        _within("5m + 1h", split, "cache_write_input_tokens", counts.cache_write_input_tokens)
    if any(_PARTS(counts)):
        for name, whole in _WHOLES.items():
            if part := getattr(counts, name):
                _within(name, part, whole, getattr(counts, whole))
    return counts


def from_disjoint(
    *,
    uncached: int | None,
    cache_read: int | None,
    cache_write: int | None,
    **others: Any,
) -> TokenCounts:
    """Inclusive counts from a source that reports its input buckets apart (Anthropic's way).

    The input is unknown only when every bucket is.
    """
    buckets = [n for n in (uncached, cache_read, cache_write) if n is not None]
    return checked(
        TokenCounts(
            input_tokens=sum(buckets) if buckets else None,
            cache_read_input_tokens=cache_read,
            cache_write_input_tokens=cache_write,
            **others,
        )
    )


def from_inclusive(**counts: Any) -> TokenCounts:
    """Counts of a source that reports inclusive totals (OpenAI's way), checked."""
    return checked(TokenCounts(**counts))


def _bad_count(counts: TokenCounts) -> BadCountError:
    name, value = next(
        (name, value)
        for name, value in zip(COUNT_NAMES, _COUNTS(counts), strict=True)
        if value is not None and not 0 <= value < COUNT_LIMIT
    )
    return BadCountError(f"{name} = {value}, expected 0 to {COUNT_LIMIT - 1}")


def _within(part: str, value: int, whole: str, limit: int | None) -> None:
    if limit is not None and value > limit:
        raise BadCountError(f"{part} = {value} is more than {whole} = {limit}")
