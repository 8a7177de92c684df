"""Envoy AI Gateway's access log, with the field names its documentation recommends."""

from datetime import datetime

import msgspec

from accounting.domain.naming import PROVIDERS, provider_id
from accounting.domain.usage import Identity, Use
from ingest.formats.base import Convention, Item, Options, Outcome, Skipped
from ingest.formats.calls import counted, has_failed, http_status, used
from ingest.formats.envoy_rows import ROWS, Row, counts_of, known, name_in
from ingest.formats.fields import milliseconds
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import moment
from ingest.formats.openai_usage import state_of
from ingest.formats.tables import row_format


def _row(options: Options, item: Item) -> Outcome:
    row = ROWS.decoded(item)
    counts = counts_of(row)
    asked, answered = name_in(row.request_model, "request"), name_in(row.response_model, "response")
    if name_in(row.mcp_method, "mcp") or not (asked or answered or state_of(counts) != "missing"):
        return Skipped(line=item.line)
    status = http_status(known(row.response_code), "response_code")
    failed = has_failed(status)
    left = "DC" in (row.response_flags or "").split(",")
    counts = used(counts, failed=failed or left)
    started_at = moment(known(row.start_time), "start_time", naive_is_utc=True)
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider=provider_id(options.provider) or _provider(name_in(row.backend, "backend")),
        request_model=name_in(row.model_override, "override") or asked or options.model,
        response_model=answered,
        operation="embeddings" if "embeddings" in (row.path or "") else "chat",
        status="error" if failed else "cancelled" if left else "ok",
        http_status=status,
        error_origin=_origin(name_in(row.response_code_details, "details")) if failed else "",
        duration_ms=milliseconds(known(row.duration), "duration"),
    )
    return counted(
        item,
        options,
        identity=_identity(row, started_at),
        use=use,
        started_at=started_at,
        session_id=name_in(row.session_id, "session.id"),
    )


def _identity(row: Row, started_at: datetime | None) -> Identity:
    """Clients may send the request id themselves, so it holds only together with the time."""
    request_id = name_in(row.request_id, "x-request-id")
    if not request_id:
        return Identity(fingerprint=fingerprint(msgspec.to_builtins(row)))
    at = started_at.isoformat() if started_at else ""
    return Identity(gateway_request_id=f"{request_id}@{at}")


def _provider(backend: str) -> str:
    """The provider where a backend (namespace/name/route/…) is named like one."""
    names = backend.split("/")
    if len(names) == 1:
        return provider_id(backend)
    return PROVIDERS.get(names[1].lower(), "")


def _origin(details: str) -> str:
    return ("upstream" if details == "via_upstream" else "gateway") if details else ""


FORMAT = row_format(
    name="envoy",
    title="Envoy AI Gateway access log",
    row=_row,
    columns=({"start_time", "response_code", "gen_ai.usage.input_tokens"},),
    convention=Convention.INCLUSIVE,
    key="x-request-id and start_time; without an id the line",
    where="the gateway's access log with the documented JSON fields; other fields: use a mapping",
    source="envoyproxy/ai-gateway: documentation and translators",
)
