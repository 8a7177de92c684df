"""The logs of one-api and new-api: pages of the API, or rows of the table logs (JSON or CSV)."""

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from accounting.domain.usage import NOTHING_REPORTED, Identity, Use
from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    Sample,
    Scope,
    Skipped,
    State,
    Unit,
)
from ingest.formats.calls import counted, http_status, provider_named, used
from ingest.formats.cells import Flag, flag, inner_json, row_json
from ingest.formats.fields import (
    NOTHING,
    Count,
    Decoder,
    Exact,
    count,
    milliseconds,
    outcomes,
    required_count,
    text,
)
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import Moment, moment
from ingest.formats.newapi_usage import Other, checked_quota, counts_of, quota_usd
from ingest.formats.openai_usage import state_of
from ingest.formats.pages import row_items, rows_seen

_KEYS = {"quota", "token_name", "model_name", "prompt_tokens"}
_CONSUME, _ERROR, _REFUND = 2, 5, 6
#: Users see their rows under an id modulo this, administrators under the id itself.
_SHOWN_IDS = 1024
_GATEWAY_ERRORS = {"new_api_error", "one_api_error"}


class Row(msgspec.Struct):
    """One row of the table. Other types than consumption, errors and refunds are no requests."""

    created_at: Moment
    type: Count
    quota: Count = None
    id: Count = None
    request_id: str | None = None
    username: str | None = None
    token_name: str | None = None
    model_name: str | None = None
    group: str | None = None
    prompt_tokens: Count = None
    completion_tokens: Count = None
    use_time: Count = None
    elapsed_time: Count = None
    is_stream: Flag = None
    channel_name: str | None = None
    other: Exact = NOTHING


_ROWS = Decoder(Row, {"prompt_tokens": 1, "completion_tokens": 1, "quota": 1})
_OTHERS = Decoder(Other)


def recognise(sample: Sample) -> str:
    """The columns of its table."""
    rows = [set(sample.header), *(set(r) for r in rows_seen(sample, "data.items", "data"))]
    return "has quota, token_name and model_name" if any(row >= _KEYS for row in rows) else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each row."""
    return outcomes(row_items(items, "data.items", "data"), partial(_row, options))


def _row(options: Options, item: Item) -> Outcome:
    row = _ROWS.of(row_json(item, {"other"}))
    kind = required_count(row.type, "type")
    if kind not in {_CONSUME, _ERROR, _REFUND}:
        return Skipped(line=item.line)
    other = _OTHERS.of(inner_json(row.other) or b"{}")
    quota = checked_quota(row.quota or 0)
    failed = kind == _ERROR
    counts, is_certain = counts_of(row.prompt_tokens, row.completion_tokens, quota, other)
    is_empty = not counts.input_tokens and not counts.output_tokens
    # A correction of an earlier charge used nothing: it is money beside that request, no request.
    is_correction = kind == _REFUND or (
        kind == _CONSUME and is_empty and (quota < 0 or other.is_per_token)
    )
    counts = NOTHING_REPORTED if is_correction or is_empty else used(counts, failed=failed)
    model = text(row.model_name, "model_name")
    error_type = text(other.error_type, "other.error_type")
    seconds = milliseconds(row.use_time, "use_time")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider=provider_named(model, options.provider),
        request_model=model,
        response_model=text(other.upstream_model_name, "other.upstream_model_name") or model,
        operation="correction" if is_correction else "chat",
        status="error" if failed else "ok",
        http_status=http_status(other.status_code, "other.status_code"),
        error_type=error_type,
        error_origin=("gateway" if error_type in _GATEWAY_ERRORS else "upstream") * failed,
        is_stream=flag(row.is_stream),
        billable=not is_correction,
        duration_ms=milliseconds(row.elapsed_time, "elapsed_time")
        if seconds is None
        else seconds * 1000,
        ttft_ms=None if other.frt is None or other.frt < 0 else float(other.frt),
        reported_cost=quota_usd(quota),
        reported_currency="USD",
    )
    return counted(
        item,
        options,
        identity=_identity(row, is_correction=is_correction),
        use=use,
        started_at=moment(row.created_at, "created_at", naive_is_utc=True),
        warnings=() if is_certain else ("uncertain_convention",),
        time_quality="second",
        user_id=text(row.username, "username"),
        team=text(row.group, "group"),
        api_key_name=text(row.token_name, "token_name"),
        tags=(("channel", text(row.channel_name, "channel")),) if row.channel_name else (),
    )


def _identity(row: Row, *, is_correction: bool) -> Identity:
    """The request's id; without it, and for corrections, what the row says."""
    request_id = text(row.request_id, "request_id")
    if request_id and not is_correction:
        return Identity(gateway_request_id=request_id)
    row_id = count(row.id, "id")
    said = (
        None if row_id is None else row_id % _SHOWN_IDS,
        str(row.created_at),
        *(str(n) for n in (row.type, row.quota, row.prompt_tokens, row.completion_tokens)),
        *(name or "" for name in (row.username, row.token_name, row.model_name)),
    )
    return Identity(fingerprint=fingerprint(said), part=int(is_correction))


FORMAT = Format(
    name="newapi",
    title="one-api and new-api logs",
    unit=Unit.JSON,
    also=(Unit.CSV,),
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="request_id; without it id modulo 1024, time, type, names, counts and quota",
    where="GET /api/log/ or the table logs as CSV or JSON lines; 500,000 quota are 1 USD",
    source="songquanpeng/one-api and QuantumNous/new-api: the log model",
    recognise=recognise,
    read=read,
    extensions=(".json", ".jsonl", ".csv"),
)
