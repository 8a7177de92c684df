"""One observation of Langfuse's, told by a table's row or inside a trace, as one record."""

from collections.abc import Mapping
from typing import Any

import msgspec

from accounting.domain.usage import NOTHING_REPORTED, Identity, Use
from ingest.formats.base import Item, Options, Outcome, RejectedError, Skipped
from ingest.formats.calls import counted, provider_named, used
from ingest.formats.cells import inner_json, inner_object
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, cost, count, milliseconds, text
from ingest.formats.langfuse_usage import counts_of
from ingest.formats.moments import Moment, elapsed_ms, moment
from ingest.formats.openai_usage import state_of

#: The types of observation that are model calls; agents, chains and spans repeat what is in them.
OPERATIONS = {"GENERATION": "chat", "EMBEDDING": "embeddings"}
#: Spans of the Vercel AI SDK that repeat the usage of the calls inside them.
_WRAPPERS = {
    "ai.generateText",
    "ai.streamText",
    "ai.generateObject",
    "ai.streamObject",
    "ai.embed",
    "ai.embedMany",
    "invoke_agent",
}
_LIMITS = ("max_tokens", "maxTokens", "max_completion_tokens", "max_output_tokens")
#: What traces and answers of the API call the columns of the export.
_COLUMNS = {
    "traceId": "trace_id",
    "startTime": "start_time",
    "endTime": "end_time",
    "completionStartTime": "completion_start_time",
    "timeToFirstToken": "time_to_first_token",
    "updatedAt": "updated_at",
    "model": "provided_model_name",
    "providedModelName": "provided_model_name",
    "modelParameters": "model_parameters",
    "usageDetails": "usage_details",
    "providedUsageDetails": "provided_usage_details",
    "totalCost": "total_cost",
    "calculatedTotalCost": "calculated_total_cost",
    "userId": "user_id",
    "sessionId": "session_id",
}
JSON_COLUMNS = frozenset({"usage_details", "provided_usage_details", "model_parameters"})


class Observation(msgspec.Struct):
    """One row. Its times have no zone where the export writes them: they are UTC."""

    id: str
    trace_id: str | None = None
    environment: str | None = None
    type: str | None = None
    name: str | None = None
    level: str | None = None
    start_time: Moment = None
    end_time: Moment = None
    completion_start_time: Moment = None
    time_to_first_token: Count = None
    updated_at: Moment = None
    provided_model_name: str | None = None
    model_parameters: Exact = NOTHING
    usage_details: Exact = NOTHING
    provided_usage_details: Exact = NOTHING
    total_cost: Exact = NOTHING
    calculated_total_cost: Exact = NOTHING
    user_id: str | None = None
    session_id: str | None = None


_DECODER = Decoder(Observation)
_OBJECT = Decoder(dict[str, msgspec.Raw])
_DETAILS: msgspec.json.Decoder[dict[str, Count] | None] = msgspec.json.Decoder(
    dict[str, Count] | None
)


def observation_of(body: bytes) -> Observation:
    """A row with the export's columns, or with the names that traces and the API use."""
    if b'"traceId"' not in body:
        return _DECODER.of(body)
    named = {_COLUMNS.get(name, name): value for name, value in _OBJECT.of(body).items()}
    return _DECODER.of(msgspec.json.encode(named))


def outcome_of_observation(
    row: Observation, item: Item, options: Options, *, source: str, **where: Any
) -> Outcome:
    """The observation as one record, skipped where it is no model call.

    where: what its trace knows: session_id, user_id, tags, environment.
    """
    kind = (row.type or "").upper()
    model = text(row.provided_model_name, "model")
    details = _details(row)
    name = (row.name or "").split(" ", 1)[0]
    if kind not in OPERATIONS or name in _WRAPPERS or not (details or model):
        return Skipped(line=item.line)
    failed = (row.level or "").upper() == "ERROR"
    counts, fits = NOTHING_REPORTED, True
    if details:
        counts, fits = counts_of(details, hides_thoughts="gemini" in model)
        counts = used(counts, failed=failed)
    started_at = moment(row.start_time, "start_time", naive_is_utc=True)
    ended_at = moment(row.end_time, "end_time", naive_is_utc=True)
    answered_at = moment(row.completion_start_time, "completion_start_time", naive_is_utc=True)
    ttft = milliseconds(row.time_to_first_token, "time_to_first_token")
    amount = cost(row.total_cost or row.calculated_total_cost, "total_cost")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source_updated_at=moment(row.updated_at, "updated_at", naive_is_utc=True),
        source=source,
        provider=provider_named(model, options.provider),
        request_model=model,
        response_model=model,
        operation=OPERATIONS[kind],
        status="error" if failed else "ok" if ended_at or details else "pending",
        max_output_tokens=_limit(inner_object(row.model_parameters)),
        duration_ms=elapsed_ms(started_at, ended_at),
        ttft_ms=elapsed_ms(started_at, answered_at) if ttft is None else ttft * 1000,
        reported_cost=amount if details else None,
        reported_currency="USD",
    )
    where["environment"] = text(row.environment, "environment") or where.get("environment", "")
    where["session_id"] = where.get("session_id") or text(row.session_id, "session_id")
    where["user_id"] = where.get("user_id") or text(row.user_id, "user_id")
    identity = Identity(
        trace_id=text(row.trace_id, "trace_id"),
        span_id=text(row.id, "id"),
        gateway_request_id=text(row.id, "id"),
    )
    warnings = () if fits else ("inconsistent_total",)
    return counted(
        item,
        options,
        identity=identity,
        use=use,
        started_at=started_at,
        warnings=warnings,
        **where,
    )


def _details(row: Observation) -> dict[str, Count]:
    """The usage details, else those that the program itself provided."""
    for value in (row.usage_details, row.provided_usage_details):
        try:
            found = _DETAILS.decode(inner_json(value) or b"null")
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            reason = "usage_details is no object of counts"
            raise RejectedError("bad_type", reason, field="usage_details") from error
        if found:
            return found
    return {}


def _limit(parameters: Mapping[str, object]) -> int | None:
    """The longest answer that was asked for; some SDKs write 'inf' or other words."""
    for name in _LIMITS:
        value = parameters.get(name)
        if isinstance(value, int | str) and str(value).isdecimal() and str(value).isascii():
            return count(value, name)
    return None
