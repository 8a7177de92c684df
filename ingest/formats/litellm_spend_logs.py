"""LiteLLM's LiteLLM_SpendLogs table: a CSV export or the JSON rows of /spend/logs."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

import msgspec

from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    RejectedError,
    Sample,
    Scope,
    State,
    Unit,
)
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, outcomes
from ingest.formats.litellm_calls import Call, outcome_of_call
from ingest.formats.litellm_usage import Metadata
from ingest.formats.moments import Moment
from ingest.formats.nesting import is_too_deep, too_deep


class Row(msgspec.Struct):
    """One row. metadata and request_tags are JSON, or JSON inside a string."""

    request_id: str | None = None
    session_id: str | None = None
    call_type: str | None = None
    cache_hit: str | bool | None = None
    status: str | None = None
    custom_llm_provider: str | None = None
    spend: Exact = NOTHING
    prompt_tokens: Count = None
    completion_tokens: Count = None
    total_tokens: Count = None
    started: Moment = msgspec.field(default=None, name="startTime")
    ended: Moment = msgspec.field(default=None, name="endTime")
    answered: Moment = msgspec.field(default=None, name="completionStartTime")
    model: str | None = None
    model_group: str | None = None
    user: str | None = None
    team_id: str | None = None
    end_user: str | None = None
    metadata: Exact = NOTHING
    request_tags: Exact = NOTHING


_DECODER = Decoder(Row, {"prompt_tokens": 3, "completion_tokens": 3, "spend": 2})
_METADATA = Decoder(Metadata)
_TAGS = msgspec.json.Decoder(list[str] | dict[str, str] | None)
_JSON_COLUMNS = {"spend", "metadata", "request_tags"}
_COLUMNS = {"request_id", "spend", "startTime", "prompt_tokens"}
_NAMES = {field.name: field.encode_name for field in msgspec.structs.fields(Row)}


def recognise(sample: Sample) -> str:
    """Its columns are those of the table."""
    rows = [set(sample.header), set(sample.keys), *(set(each) for each in sample.objects)]
    return "has request_id, spend and startTime" if any(row >= _COLUMNS for row in rows) else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each row."""
    return outcomes(items, partial(_call, options))


def _call(options: Options, item: Item) -> Outcome:
    row = _from_csv(item.body) if isinstance(item.body, Mapping) else _DECODER.decoded(item)
    metadata = _METADATA.of(_json_inside(row.metadata) or b"{}")
    call = Call(
        id=row.request_id,
        call_type=row.call_type,
        is_cache_hit=str(row.cache_hit).lower() == "true",
        status=row.status,
        provider=row.custom_llm_provider,
        cost=row.spend,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        total_tokens=row.total_tokens,
        started=row.started,
        ended=row.ended,
        answered=row.answered,
        model=row.model,
        model_group=row.model_group,
        session_id=row.session_id,
        team=row.team_id or metadata.user_api_key_team_id,
        user_id=row.user or metadata.user_api_key_user_id,
        end_user=row.end_user,
        request_tags=_tags(row.request_tags),
        error=metadata.error_information,
    )
    return outcome_of_call(call, metadata, source=FORMAT.name, item=item, options=options)


def _from_csv(cells: Mapping[str, str]) -> Row:
    """The row of a CSV record; an empty cell is a null, a JSON column holds its own text."""
    row = Row()
    for name, column in _NAMES.items():
        cell = cells.get(column)
        if cell:
            setattr(row, name, msgspec.Raw(cell) if name in _JSON_COLUMNS else cell)
    return row


def _json_inside(value: Exact) -> bytes:
    """The JSON text of a column that holds an object, a string of JSON, or nothing."""
    found = bytes(value)
    if found.startswith(b'"'):
        found = msgspec.json.decode(found, type=str).encode()
    if is_too_deep(found):
        raise too_deep()
    return b"" if found in {b"null", b"None"} else found


def _tags(value: Exact) -> tuple[str, ...]:
    try:
        found = _TAGS.decode(_json_inside(value) or b"null")
    except msgspec.MsgspecError as error:
        reason = "request_tags are no JSON list"
        raise RejectedError("bad_tags", reason, field="request_tags") from error
    if isinstance(found, dict):
        return tuple(f"{key}:{inner}" for key, inner in found.items())
    return tuple(found or ())


FORMAT = Format(
    name="litellm_spend_logs",
    title="LiteLLM spend logs",
    unit=Unit.CSV,
    also=(Unit.JSON,),
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="request_id",
    where="COPY of LiteLLM_SpendLogs as CSV, or GET /spend/logs?summarize=false",
    source="BerriAI/litellm: schema.prisma and the spend-log tests",
    recognise=recognise,
    read=read,
    extensions=(".csv", ".jsonl", ".json"),
)
