"""What OpenAI's `usage` objects mean: inclusive totals with their subsets named in the details.

Shared by chat completions and responses, and by every log that copies their shape.
"""

import msgspec

from accounting.domain.tokens import TokenCounts, from_inclusive
from ingest.formats.base import RejectedError
from ingest.formats.fields import Count, count

#: Keys that must stand once in an object; counted as often as an ordinary record holds them.
WATCHED = {
    "prompt_tokens": 1,
    "completion_tokens": 1,
    "input_tokens": 1,
    "output_tokens": 1,
    "cached_tokens": 1,
}


class InputDetails(msgspec.Struct):
    """Subsets of the input; the spellings are those of chat completions and of responses."""

    cached_tokens: Count = None
    cache_write_tokens: Count = None
    cache_creation_tokens: Count = None
    audio_tokens: Count = None
    image_tokens: Count = None


class OutputDetails(msgspec.Struct):
    """Subsets of the output."""

    reasoning_tokens: Count = None
    audio_tokens: Count = None
    image_tokens: Count = None


class Usage(msgspec.Struct):
    """A usage object of either interface: prompt and completion, or input and output."""

    prompt_tokens: Count = None
    completion_tokens: Count = None
    input_tokens: Count = None
    output_tokens: Count = None
    total_tokens: Count = None
    prompt_tokens_details: InputDetails | None = None
    completion_tokens_details: OutputDetails | None = None
    input_tokens_details: InputDetails | None = None
    output_tokens_details: OutputDetails | None = None


def counts_of(usage: Usage) -> TokenCounts:
    """Inclusive counts; RejectedError where the two spellings of one total disagree."""
    given = usage.prompt_tokens_details or usage.input_tokens_details or InputDetails()
    made = usage.completion_tokens_details or usage.output_tokens_details or OutputDetails()
    written = given.cache_write_tokens
    if written is None:
        written = given.cache_creation_tokens
    return from_inclusive(
        input_tokens=_total(
            "prompt_tokens", usage.prompt_tokens, "input_tokens", usage.input_tokens
        ),
        cache_read_input_tokens=count(given.cached_tokens, "usage.cached_tokens"),
        cache_write_input_tokens=count(written, "usage.cache_write_tokens"),
        input_audio_tokens=count(given.audio_tokens, "usage.input_audio_tokens"),
        input_image_tokens=count(given.image_tokens, "usage.input_image_tokens"),
        output_tokens=_total(
            "completion_tokens", usage.completion_tokens, "output_tokens", usage.output_tokens
        ),
        reasoning_output_tokens=count(made.reasoning_tokens, "usage.reasoning_tokens"),
        output_audio_tokens=count(made.audio_tokens, "usage.output_audio_tokens"),
        output_image_tokens=count(made.image_tokens, "usage.output_image_tokens"),
    )


def state_of(counts: TokenCounts) -> str:
    """How much of a request's usage was reported: both totals, one, or none."""
    known = (counts.input_tokens is not None) + (counts.output_tokens is not None)
    return ("missing", "partial", "reported")[known]


def warnings_of(usage: Usage, counts: TokenCounts) -> tuple[str, ...]:
    """inconsistent_total where the reported total is not input + output."""
    total = count(usage.total_tokens, "usage.total_tokens")
    if total is None or counts.input_tokens is None:
        return ()
    if total == counts.input_tokens + (counts.output_tokens or 0):
        return ()
    return ("inconsistent_total",)


def _total(one_name: str, one: Count, other_name: str, other: Count) -> int | None:
    first, second = count(one, f"usage.{one_name}"), count(other, f"usage.{other_name}")
    if first is not None and second is not None and first != second:
        reason = f"{one_name} = {first} and {other_name} = {second} contradict each other"
        raise RejectedError("bad_count", reason, field=f"usage.{one_name}", value=first)
    return second if first is None else first
