"""Helicone's request export: JSON, JSON lines or CSV."""

import re

from accounting.domain.naming import provider_id
from accounting.domain.usage import Identity, Use
from ingest.formats.base import Convention, Item, Options, Outcome, Unit
from ingest.formats.calls import counted, has_failed, http_status, used
from ingest.formats.cells import inner_object, row_json
from ingest.formats.fields import cost, milliseconds, text
from ingest.formats.helicone_rows import ROWS, counts_of
from ingest.formats.labels import labels_of
from ingest.formats.moments import moment
from ingest.formats.openai_usage import state_of
from ingest.formats.tables import row_format

_NO_REFERENCE = {"", "00000000-0000-0000-0000-000000000000"}
#: Helicone's own states beside HTTP's -> what they mean here.
_STATES = {"-2": "pending", "-3": "cancelled", "-4": "timeout"}
_OWN_STATE = re.compile(r"-\d{1,3}", re.ASCII)


def _row(options: Options, item: Item) -> Outcome:
    row = ROWS.of(row_json(item, {"request_properties"}))
    state = str(row.response_status or "")
    own_state = _STATES.get(state, "gateway") if _OWN_STATE.fullmatch(state) else ""
    answered = http_status(None if own_state else row.response_status, "response_status")
    provider = provider_id(text(row.provider, "provider").lower())
    counts, warnings = counts_of(row, provider)
    failed = has_failed(answered) or own_state not in {"", "pending"}
    counts = used(counts, failed=failed)
    status = "error" if failed else own_state or "ok"
    if own_state == "cancelled" and counts.output_tokens:
        status = "cancelled"
    is_hit = text(row.cache_reference_id, "cache_reference_id") not in _NO_REFERENCE
    asked = text(row.model_override or row.request_model, "request_model")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider=provider,
        request_model=asked or text(row.model, "model"),
        response_model=text(row.response_model or row.model, "response_model"),
        status=status,
        http_status=answered,
        error_type=own_state if failed else "",
        error_origin=_origin(own_state) if failed else "",
        gateway_cache_hit=is_hit,
        billable=not is_hit,
        duration_ms=milliseconds(row.delay_ms, "delay_ms"),
        ttft_ms=milliseconds(row.time_to_first_token, "time_to_first_token"),
        reported_cost=cost(row.cost_usd or row.cost, "costUSD"),
        reported_currency="USD",
    )
    labels = labels_of(inner_object(row.request_properties), "request_properties")
    return counted(
        item,
        options,
        identity=Identity(gateway_request_id=text(row.request_id, "request_id")),
        use=use,
        started_at=moment(row.request_created_at, "request_created_at", naive_is_utc=True),
        warnings=warnings,
        **labels.where(user_id=text(row.request_user_id or row.helicone_user, "user")),
    )


def _origin(own_state: str) -> str:
    return {"cancelled": "client", "gateway": "gateway"}.get(own_state, "upstream")


FORMAT = row_format(
    name="helicone",
    title="Helicone requests",
    row=_row,
    columns=({"request_id", "request_created_at"},),
    pages=("data",),
    units=(Unit.JSON, Unit.CSV),
    convention=Convention.INCLUSIVE,
    key="request_id",
    where="Requests, Export, or POST /v1/request/query; total_tokens tells which prompts leave out cache",
    source="Helicone's types and issues",
)
