"""What OpenAI's `usage` objects mean: inclusive totals with their subsets named in the details.

Shared by chat completions and responses, and by every log that copies their shape.
"""

import re

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

_OWN_MODELS = re.compile(r"(?:openai/)?(?:gpt-|chatgpt-|o\d|codex-|text-embedding-)(?!oss)")


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


class Error(msgspec.Struct):
    """Why a request failed; some servers give only one of the two."""

    code: str | int | None = None
    type: str | None = None

    @property
    def name(self) -> str:
        """The error's code, else its type."""
        return str(self.code or self.type or "")


class ErrorBody(msgspec.Struct):
    """The body of a request that failed."""

    error: Error | None = None


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
    """Inclusive counts; RejectedError where the two spellings of one total disagree.

    Details that itemise cached tokens and name no cache writes report that there were none. Some
    servers leave reasoning out of the completion: where the total says so, it is put back.
    """
    given = usage.prompt_tokens_details or usage.input_tokens_details or InputDetails()
    made = usage.completion_tokens_details or usage.output_tokens_details or OutputDetails()
    read = count(given.cached_tokens, "usage.cached_tokens")
    write = count(
        given.cache_creation_tokens
        if given.cache_write_tokens is None
        else given.cache_write_tokens,
        "usage.cache_write_tokens",
    )
    prompt = _one("prompt_tokens", usage.prompt_tokens, "input_tokens", usage.input_tokens)
    output = _one(
        "completion_tokens", usage.completion_tokens, "output_tokens", usage.output_tokens
    )
    reasoning = count(made.reasoning_tokens, "usage.reasoning_tokens")
    total = count(usage.total_tokens, "usage.total_tokens")
    if reasoning and output is not None and total == (prompt or 0) + output + reasoning:
        output += reasoning
    return from_inclusive(
        input_tokens=prompt,
        cache_read_input_tokens=read,
        cache_write_input_tokens=0 if write is None and read is not None else write,
        input_audio_tokens=count(given.audio_tokens, "usage.input_audio_tokens"),
        input_image_tokens=count(given.image_tokens, "usage.input_image_tokens"),
        output_tokens=output,
        reasoning_output_tokens=reasoning,
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


def maker_of(model: str) -> str:
    """'openai' for its own model names; anybody may serve other names behind its interface."""
    return "openai" if _OWN_MODELS.match(model) else ""


def _one(one_name: str, one: Count, other_name: str, other: Count) -> int | None:
    first, second = count(one, f"usage.{one_name}"), count(other, f"usage.{other_name}")
    if first is not None and second is not None and first != second:
        reason = f"{one_name} = {first} and {other_name} = {second} contradict each other"
        raise RejectedError("bad_count", reason, field=f"usage.{one_name}", value=first)
    return second if first is None else first
