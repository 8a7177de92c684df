"""What Gemini's `usageMetadata` means: a prompt that includes cached tokens, thoughts beside output.

Shared by Gemini's own bodies and streams and by every log that carries them.
"""

from collections.abc import Iterable

import msgspec

from accounting.domain.tokens import TokenCounts, from_inclusive
from ingest.formats.fields import Count, count, known_sum, text
from ingest.formats.moments import Moment

#: Keys that must stand once in an object; counted as often as an ordinary record holds them.
WATCHED = {
    "promptTokenCount": 1,
    "candidatesTokenCount": 1,
    "cachedContentTokenCount": 1,
    "thoughtsTokenCount": 1,
    "totalTokenCount": 1,
}
_PLAIN_TIERS = {"", "TRAFFIC_TYPE_UNSPECIFIED", "ON_DEMAND"}


class Modality(msgspec.Struct, rename="camel"):
    """How many of the tokens were of one kind: TEXT, IMAGE, AUDIO, VIDEO or DOCUMENT."""

    modality: str | None = None
    token_count: Count = None


class Usage(msgspec.Struct, rename="camel"):
    """A usageMetadata object. A count of zero is left out."""

    prompt_token_count: Count = None
    cached_content_token_count: Count = None
    candidates_token_count: Count = None
    thoughts_token_count: Count = None
    tool_use_prompt_token_count: Count = None
    total_token_count: Count = None
    prompt_tokens_details: list[Modality] | None = None
    cache_tokens_details: list[Modality] | None = None
    candidates_tokens_details: list[Modality] | None = None
    tool_use_prompt_tokens_details: list[Modality] | None = None
    traffic_type: str | None = None


class Candidate(msgspec.Struct, rename="camel"):
    """One of the answers."""

    finish_reason: str | None = None


class Feedback(msgspec.Struct, rename="camel"):
    """Why a prompt was refused."""

    block_reason: str | None = None


class Error(msgspec.Struct):
    """Why a request failed."""

    code: int | None = None
    status: str | None = None


class Body(msgspec.Struct, rename="camel"):
    """An answer, a chunk of one, or an error in place of one."""

    response_id: str | None = None
    model_version: str | None = None
    create_time: Moment = None
    candidates: list[Candidate] | None = None
    prompt_feedback: Feedback | None = None
    usage: Usage | None = msgspec.field(default=None, name="usageMetadata")
    error: Error | None = None

    @property
    def finish_reason(self) -> str:
        """Why the answer ended, or why there was none; '' while it goes on."""
        for candidate in self.candidates or ():
            if candidate.finish_reason:
                return text(candidate.finish_reason, "finishReason", 80)
        blocked = self.prompt_feedback and self.prompt_feedback.block_reason
        return text(blocked, "promptFeedback.blockReason", 80)


def joined(chunks: Iterable[Body]) -> Body:
    """The chunks of one streamed answer as one body: usage is cumulative, the last of each field wins."""
    whole = Body()
    for chunk in chunks:
        _lay_over(whole, chunk, {"usage", "candidates"})
        if chunk.usage is not None:
            whole.usage = whole.usage or Usage()
            _lay_over(whole.usage, chunk.usage)
        if any(candidate.finish_reason for candidate in chunk.candidates or ()):
            whole.candidates = chunk.candidates
    return whole


def counts_of(usage: Usage, where: str = "usageMetadata") -> TokenCounts:
    """Inclusive counts: what tools put into the prompt is input, thoughts are output.

    Tokens that only the total knows were thoughts: some interfaces leave them out. Cache writes are
    no part of a request here; caches are filled and billed apart.
    """
    prompt = count(usage.prompt_token_count, f"{where}.promptTokenCount")
    tools = count(usage.tool_use_prompt_token_count, f"{where}.toolUsePromptTokenCount")
    answer = count(usage.candidates_token_count, f"{where}.candidatesTokenCount")
    thoughts = count(usage.thoughts_token_count, f"{where}.thoughtsTokenCount")
    read = count(usage.cached_content_token_count, f"{where}.cachedContentTokenCount")
    total = count(usage.total_token_count, f"{where}.totalTokenCount")
    if prompt is not None:
        read = read or 0
        if total is not None and thoughts is None:
            hidden = total - prompt - (tools or 0) - (answer or 0)
            thoughts = max(hidden, 0)
    return from_inclusive(
        input_tokens=None if prompt is None else prompt + (tools or 0),
        cache_read_input_tokens=read,
        cache_write_input_tokens=None if prompt is None else 0,
        tool_use_input_tokens=tools,
        input_audio_tokens=_of_kind(usage.prompt_tokens_details, "AUDIO"),
        cache_read_audio_tokens=_of_kind(usage.cache_tokens_details, "AUDIO"),
        input_image_tokens=_of_kind(usage.prompt_tokens_details, "IMAGE"),
        output_tokens=known_sum(answer, thoughts),
        reasoning_output_tokens=thoughts,
        output_audio_tokens=_of_kind(usage.candidates_tokens_details, "AUDIO"),
        output_image_tokens=_of_kind(usage.candidates_tokens_details, "IMAGE"),
    )


def tier_of(usage: Usage) -> str:
    """The service tier by its traffic type: '' on demand, else its name."""
    written = text(usage.traffic_type, "usageMetadata.trafficType", 40)
    return "" if written in _PLAIN_TIERS else written.removeprefix("ON_DEMAND_").lower()


def _of_kind(details: Iterable[Modality] | None, kind: str) -> int | None:
    """The tokens of one kind; None where the source does not itemise."""
    if details is None:
        return None
    return sum(
        count(each.token_count, f"{kind} tokenCount") or 0
        for each in details
        if each.modality == kind
    )


def _lay_over[Record: msgspec.Struct](
    earlier: Record, later: Record, leave: Iterable[str] = ()
) -> None:
    for name in earlier.__struct_fields__:
        value = getattr(later, name)
        if value is not None and name not in leave:
            setattr(earlier, name, value)
