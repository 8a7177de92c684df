"""LiteLLM's StandardLoggingPayload: the JSON lines or arrays that its logging callbacks write."""

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    Sample,
    Scope,
    State,
    Unit,
)
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, outcomes
from ingest.formats.litellm_calls import Call, outcome_of_call
from ingest.formats.litellm_usage import ErrorInformation, Metadata
from ingest.formats.moments import Moment


class Parameters(msgspec.Struct):
    """What the caller asked for."""

    max_tokens: Count = None
    max_completion_tokens: Count = None


class Payload(msgspec.Struct):
    """One call, as LiteLLM names its fields."""

    id: str | None = None
    trace_id: str | None = None
    call_type: str | None = None
    cache_hit: bool | None = None
    stream: bool | None = None
    status: str | None = None
    custom_llm_provider: str | None = None
    response_cost: Exact = NOTHING
    prompt_tokens: Count = None
    completion_tokens: Count = None
    total_tokens: Count = None
    started: Moment = msgspec.field(default=None, name="startTime")
    ended: Moment = msgspec.field(default=None, name="endTime")
    answered: Moment = msgspec.field(default=None, name="completionStartTime")
    model: str | None = None
    model_group: str | None = None
    metadata: Metadata | None = None
    request_tags: list[str] | None = None
    end_user: str | None = None
    model_parameters: Parameters | None = None
    error_information: ErrorInformation | None = None


# The totals stand in the row, in its usage object, and in the answer where that is logged.
_DECODER = Decoder(Payload, {"prompt_tokens": 3, "completion_tokens": 3, "response_cost": 2})


def recognise(sample: Sample) -> str:
    """Its fields are those of LiteLLM's payload."""
    wanted = {"custom_llm_provider", "response_cost", "startTime"}
    fits = any(wanted <= each.keys() for each in sample.objects) or wanted <= sample.keys
    return "has custom_llm_provider, response_cost and startTime" if fits else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each call."""
    return outcomes(items, partial(_call, options))


def _call(options: Options, item: Item) -> Outcome:
    row = _DECODER.decoded(item)
    metadata = row.metadata or Metadata()
    asked = row.model_parameters or Parameters()
    call = Call(
        id=row.id,
        trace_id=row.trace_id,
        call_type=row.call_type,
        is_cache_hit=bool(row.cache_hit),
        is_stream=row.stream,
        status=row.status,
        provider=row.custom_llm_provider,
        cost=row.response_cost,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        total_tokens=row.total_tokens,
        started=row.started,
        ended=row.ended,
        answered=row.answered,
        model=row.model,
        model_group=row.model_group,
        session_id=row.trace_id,
        team=metadata.user_api_key_team_alias or metadata.user_api_key_team_id,
        user_id=metadata.user_api_key_user_id,
        end_user=row.end_user or metadata.user_api_key_end_user_id,
        request_tags=row.request_tags or (),
        max_tokens=asked.max_completion_tokens or asked.max_tokens,
        error=row.error_information,
    )
    return outcome_of_call(call, metadata, source=FORMAT.name, item=item, options=options)


FORMAT = Format(
    name="litellm_payload",
    title="LiteLLM logging payload",
    unit=Unit.JSON,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="id; of a hit in LiteLLM's own cache id and start time",
    where="LiteLLM's S3, GCS or generic API callback",
    source="BerriAI/litellm: StandardLoggingPayload and its callback tests",
    recognise=recognise,
    read=read,
)
