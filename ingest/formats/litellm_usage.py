"""What LiteLLM's two logs say of usage: OpenAI's shape with what Anthropic adds, and who called."""

from typing import Any

import msgspec

from accounting.domain.tokens import TokenCounts, checked
from ingest.formats.fields import Count, count
from ingest.formats.openai_usage import InputDetails, OutputDetails


class CacheWrites(msgspec.Struct):
    """How cache writes divide by the time they are kept."""

    ephemeral_5m_input_tokens: Count = None
    ephemeral_1h_input_tokens: Count = None


class PromptDetails(InputDetails):
    """OpenAI's details and what LiteLLM adds for Anthropic."""

    cache_creation_token_details: CacheWrites | None = None


class UsageObject(msgspec.Struct):
    """The provider's usage as LiteLLM normalised it: prompt tokens include cached ones."""

    prompt_tokens: Count = None
    completion_tokens: Count = None
    prompt_tokens_details: PromptDetails | None = None
    completion_tokens_details: OutputDetails | None = None
    cache_read_input_tokens: Count = None
    cache_creation_input_tokens: Count = None


class ErrorInformation(msgspec.Struct):
    """Why a call failed."""

    error_code: str | int | None = None
    error_class: str | None = None
    llm_provider: str | None = None


class Metadata(msgspec.Struct):
    """Who called, and what it used."""

    user_api_key_alias: str | None = None
    user_api_key_team_id: str | None = None
    user_api_key_team_alias: str | None = None
    user_api_key_user_id: str | None = None
    user_api_key_end_user_id: str | None = None
    spend_logs_metadata: dict[str, Any] | None = None
    usage_object: UsageObject | None = None
    additional_usage_values: UsageObject | None = None
    error_information: ErrorInformation | None = None


NO_CACHE_WRITES = CacheWrites()
NO_PROMPT_DETAILS = PromptDetails()
NO_OUTPUT_DETAILS = OutputDetails()
NO_USAGE = UsageObject()
NO_ERROR = ErrorInformation()


def counts_of(prompt: Count, completion: Count, total: Count, usage: UsageObject) -> TokenCounts:
    """Inclusive counts of one row.

    Some versions left cached tokens out of Anthropic's prompt tokens; the row's total tells them
    apart: it is the sum of all buckets there.
    """
    details = usage.prompt_tokens_details or NO_PROMPT_DETAILS
    made = usage.completion_tokens_details or NO_OUTPUT_DETAILS
    split = details.cache_creation_token_details or NO_CACHE_WRITES
    given = count(prompt, "prompt_tokens")
    output = count(completion, "completion_tokens")
    read = count(_first(details.cached_tokens, usage.cache_read_input_tokens), "cached_tokens")
    write = count(
        _first(
            details.cache_creation_tokens,
            usage.cache_creation_input_tokens,
            details.cache_write_tokens,
        ),
        "cache_creation_tokens",
    )
    cached = (read or 0) + (write or 0)
    whole = count(total, "total_tokens")
    if cached and given is not None and cached > given and whole == given + cached + (output or 0):
        given = whole - (output or 0)
    return checked(
        TokenCounts(
            input_tokens=given,
            cache_read_input_tokens=read,
            cache_write_input_tokens=write,
            output_tokens=output,
            cache_write_5m_input_tokens=count(split.ephemeral_5m_input_tokens, "ephemeral_5m"),
            cache_write_1h_input_tokens=count(split.ephemeral_1h_input_tokens, "ephemeral_1h"),
            input_audio_tokens=count(details.audio_tokens, "audio_tokens"),
            reasoning_output_tokens=count(made.reasoning_tokens, "reasoning_tokens"),
            output_audio_tokens=count(made.audio_tokens, "audio_tokens"),
        )
    )


def _first(*values: Count) -> Count:
    for value in values:
        if value is not None:
            return value
    return None
