"""LiteLLM's StandardLoggingPayload: the JSON lines or arrays that its logging callbacks write."""

import msgspec

from ingest.formats.base import Convention, Item, Options, Outcome
from ingest.formats.fields import NOTHING, Count, Decoder, Exact
from ingest.formats.litellm_calls import outcome_of_call
from ingest.formats.litellm_rows import Told, call_of
from ingest.formats.litellm_usage import ErrorInformation, Metadata
from ingest.formats.tables import row_format


class Parameters(msgspec.Struct):
    """What the caller asked for."""

    max_tokens: Count = None
    max_completion_tokens: Count = None


class Payload(Told):
    """One call, as LiteLLM names its fields."""

    id: str | None = None
    trace_id: str | None = None
    cache_hit: bool | None = None
    stream: bool | None = None
    response_cost: Exact = NOTHING
    metadata: Metadata | None = None
    request_tags: list[str] | None = None
    end_user: str | None = None
    model_parameters: Parameters | None = None
    error_information: ErrorInformation | None = None


# The totals stand in the row, in its usage object, and in the answer where that is logged.
_DECODER = Decoder(Payload, {"prompt_tokens": 3, "completion_tokens": 3, "response_cost": 2})


def _call(options: Options, item: Item) -> Outcome:
    row = _DECODER.decoded(item)
    metadata = row.metadata or Metadata()
    asked = row.model_parameters or Parameters()
    call = call_of(
        row,
        id=row.id,
        trace_id=row.trace_id,
        is_cache_hit=bool(row.cache_hit),
        is_stream=row.stream,
        cost=row.response_cost,
        session_id=row.trace_id,
        team=metadata.user_api_key_team_alias or metadata.user_api_key_team_id,
        user_id=metadata.user_api_key_user_id,
        end_user=row.end_user or metadata.user_api_key_end_user_id,
        request_tags=row.request_tags or (),
        max_tokens=asked.max_completion_tokens or asked.max_tokens,
        error=row.error_information,
    )
    return outcome_of_call(call, metadata, source=FORMAT.name, item=item, options=options)


FORMAT = row_format(
    name="litellm_payload",
    title="LiteLLM logging payload",
    row=_call,
    columns=({"custom_llm_provider", "response_cost", "startTime"},),
    convention=Convention.INCLUSIVE,
    key="id; of a hit in LiteLLM's own cache id and start time",
    where="LiteLLM's S3, GCS or generic API callback",
    source="BerriAI/litellm: StandardLoggingPayload and its callback tests",
)
