"""The logs of one-api and new-api: pages of the API, or rows of the table logs (JSON or CSV)."""

from accounting.domain.usage import NOTHING_REPORTED, Use
from ingest.formats.base import Convention, Item, Options, Outcome, Skipped, Unit
from ingest.formats.calls import counted, http_status, provider_named, used
from ingest.formats.cells import flag, inner_json, row_json
from ingest.formats.fields import milliseconds, required_count, text
from ingest.formats.moments import moment
from ingest.formats.newapi_rows import OTHERS, ROWS, identity_of
from ingest.formats.newapi_usage import checked_quota, counts_of, quota_usd
from ingest.formats.openai_usage import state_of
from ingest.formats.tables import row_format

_CONSUME, _ERROR, _REFUND = 2, 5, 6
_GATEWAY_ERRORS = {"new_api_error", "one_api_error"}


def _row(options: Options, item: Item) -> Outcome:
    row = ROWS.of(row_json(item, {"other"}))
    kind = required_count(row.type, "type")
    if kind not in {_CONSUME, _ERROR, _REFUND}:
        return Skipped(line=item.line)
    other = OTHERS.of(inner_json(row.other) or b"{}")
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
        operation="refund" if is_correction else "chat",
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
        identity=identity_of(row, is_correction=is_correction),
        use=use,
        started_at=moment(row.created_at, "created_at", naive_is_utc=True),
        warnings=() if is_certain else ("uncertain_convention",),
        time_quality="second",
        user_id=text(row.username, "username"),
        team=text(row.group, "group"),
        api_key_name=text(row.token_name, "token_name"),
        tags=(("channel", text(row.channel_name, "channel")),) if row.channel_name else (),
    )


FORMAT = row_format(
    name="newapi",
    title="one-api and new-api logs",
    row=_row,
    columns=({"quota", "token_name", "model_name", "prompt_tokens"},),
    pages=("data.items", "data"),
    units=(Unit.JSON, Unit.CSV),
    convention=Convention.INCLUSIVE,
    key="request_id; without it id modulo 1024, time, type, names, counts and quota",
    where="GET /api/log/ or the table logs as CSV or JSON lines; 500,000 quota are 1 USD",
    source="songquanpeng/one-api and QuantumNous/new-api: the log model",
)
