"""LiteLLM's LiteLLM_SpendLogs table: a CSV export or the JSON rows of /spend/logs."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

import msgspec

from ingest.formats.base import Convention, Item, Options, Outcome, RejectedError, Unit
from ingest.formats.fields import NOTHING, Decoder, Exact
from ingest.formats.litellm_calls import outcome_of_call
from ingest.formats.litellm_rows import Told, call_of
from ingest.formats.litellm_usage import Metadata
from ingest.formats.nesting import is_too_deep, too_deep
from ingest.formats.tables import row_format


class Row(Told):
    """One row. metadata and request_tags are JSON, or JSON inside a string."""

    request_id: str | None = None
    session_id: str | None = None
    cache_hit: str | bool | None = None
    spend: Exact = NOTHING
    user: str | None = None
    team_id: str | None = None
    end_user: str | None = None
    metadata: Metadata | str | None = None
    request_tags: list[str] | dict[str, str] | str | None = None


_DECODER = Decoder(Row, {"prompt_tokens": 3, "completion_tokens": 3, "spend": 2})
_METADATA = Decoder(Metadata)
_TAGS = msgspec.json.Decoder(list[str] | dict[str, str] | None)
_JSON_COLUMNS = {"metadata", "request_tags"}
_NAMES = {field.name: field.encode_name for field in msgspec.structs.fields(Row)}


def _call(options: Options, item: Item) -> Outcome:
    row = _DECODER.decoded(item) if isinstance(item.body, bytes) else _from_csv(item.body)
    metadata = _metadata(row.metadata)
    call = call_of(
        row,
        id=row.request_id,
        is_cache_hit=str(row.cache_hit).lower() == "true",
        cost=row.spend,
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
            setattr(row, name, _cell_value(name, cell))
    return row


def _cell_value(name: str, cell: str) -> str | msgspec.Raw:
    if name == "spend":
        return msgspec.Raw(cell)
    if name in _JSON_COLUMNS and cell.startswith('"'):
        with suppress(msgspec.DecodeError):  # a column of JSON that holds a string of JSON
            return msgspec.json.decode(cell, type=str)
    return cell


def _metadata(value: Metadata | str | None) -> Metadata:
    """The metadata, which may be JSON inside a string; an object was doubted with its row."""
    if isinstance(value, Metadata):
        return value
    return _METADATA.of(_json_inside(value) or b"{}")


def _json_inside(value: str | None) -> bytes:
    """The JSON inside a string, b'' of nothing."""
    found = (value or "").encode()
    if is_too_deep(found):
        raise too_deep()
    return b"" if found in {b"null", b"None"} else found


def _tags(value: list[str] | dict[str, str] | str | None) -> Sequence[str]:
    if isinstance(value, str):
        try:
            value = _TAGS.decode(_json_inside(value) or b"null")
        except msgspec.MsgspecError as error:
            reason = "request_tags are no JSON list"
            raise RejectedError("bad_tags", reason, field="request_tags") from error
    if isinstance(value, dict):
        return [f"{key}:{inner}" for key, inner in value.items()]
    return value or ()


FORMAT = row_format(
    name="litellm_spend_logs",
    title="LiteLLM spend logs",
    row=_call,
    columns=({"request_id", "spend", "startTime", "prompt_tokens"},),
    units=(Unit.CSV, Unit.JSON),
    convention=Convention.INCLUSIVE,
    key="request_id",
    where="COPY of LiteLLM_SpendLogs as CSV, or GET /spend/logs?summarize=false",
    source="BerriAI/litellm: schema.prisma and the spend-log tests",
)
