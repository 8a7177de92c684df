"""What LiteLLM's payload and its spend logs tell of a call by the same names."""

from typing import Any

import msgspec

from ingest.formats.fields import Count
from ingest.formats.litellm_calls import Call
from ingest.formats.moments import Moment


class Told(msgspec.Struct):
    """A call, as far as both logs tell it alike."""

    call_type: str | None = None
    status: str | None = None
    custom_llm_provider: str | None = None
    prompt_tokens: Count = None
    completion_tokens: Count = None
    total_tokens: Count = None
    started: Moment = msgspec.field(default=None, name="startTime")
    ended: Moment = msgspec.field(default=None, name="endTime")
    answered: Moment = msgspec.field(default=None, name="completionStartTime")
    model: str | None = None
    model_group: str | None = None


def call_of(told: Told, **others: Any) -> Call:
    """The call. others: the fields of Call that each log tells in its own way."""
    return Call(
        call_type=told.call_type,
        status=told.status,
        provider=told.custom_llm_provider,
        prompt_tokens=told.prompt_tokens,
        completion_tokens=told.completion_tokens,
        total_tokens=told.total_tokens,
        started=told.started,
        ended=told.ended,
        answered=told.answered,
        model=told.model,
        model_group=told.model_group,
        **others,
    )
