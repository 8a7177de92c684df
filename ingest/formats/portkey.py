"""Portkey's log export. Its cost is in cents; what was cached stands only in the answer's body."""

from decimal import Decimal

from accounting.domain.naming import provider_id
from accounting.domain.usage import Identity, Use
from ingest.formats import openai_usage
from ingest.formats.base import Convention, Item, Options, Outcome
from ingest.formats.calls import counted, has_failed, http_status, used
from ingest.formats.cells import inner_object
from ingest.formats.fields import cost, count, milliseconds, text
from ingest.formats.labels import labels_of
from ingest.formats.moments import moment
from ingest.formats.portkey_rows import REQUESTS, RESPONSES, ROWS, Usage, body_of, counts_of
from ingest.formats.tables import row_format

_CENTS = -2
#: Portkey's own refusals: a guardrail said no.
_GUARDRAIL = 446


def _call(options: Options, item: Item) -> Outcome:
    row = ROWS.decoded(item)
    answer = RESPONSES.of(body_of(row.response))
    asked = REQUESTS.of(body_of(row.request))
    status = http_status(row.response_status_code, "response_status_code")
    failed = has_failed(status)
    counts = used(counts_of(row, answer.usage or Usage()), failed=failed)
    cents = cost(row.cost, "cost")
    model = text(row.ai_model, "ai_model")
    reasons = [choice.finish_reason for choice in answer.choices or () if choice.finish_reason]
    use = Use(
        counts=counts,
        usage_state=openai_usage.state_of(counts),
        source=FORMAT.name,
        provider=provider_id(text(row.ai_org, "ai_org")),
        request_model=model,
        response_model=text(answer.model, "response.model") or model,
        operation="embeddings" if "/embeddings" in (row.request_url or "") else "chat",
        service_tier=text(answer.service_tier, "response.service_tier", 40),
        status="error" if failed else "ok",
        http_status=status,
        error_origin=("gateway" if status == _GUARDRAIL else "upstream") if failed else "",
        finish_reason=text(answer.stop_reason or next(iter(reasons), ""), "finish_reason", 80),
        is_stream=asked.stream,
        max_output_tokens=count(asked.max_completion_tokens or asked.max_tokens, "max_tokens"),
        duration_ms=milliseconds(row.response_time, "response_time"),
        reported_cost=None if cents is None else _units(cents),
        reported_currency=text(row.cost_currency, "cost_currency", 12) or "USD",
    )
    labels = labels_of(inner_object(row.metadata), "metadata")
    return counted(
        item,
        options,
        identity=Identity(
            response_id=text(answer.id, "response.id"), gateway_request_id=text(row.id, "id")
        ),
        use=use,
        started_at=moment(row.created_at, "created_at", naive_is_utc=True),
        **labels.where(session_id=labels.session_id or text(row.trace_id, "trace_id")),
    )


def _units(cents: Decimal) -> Decimal:
    """An amount of cents in whole units: only the point moves."""
    sign, digits, exponent = cents.as_tuple()
    return Decimal((sign, digits, int(exponent) + _CENTS))


FORMAT = row_format(
    name="portkey",
    title="Portkey log export",
    row=_call,
    columns=({"req_units", "res_units", "ai_model"},),
    pages=("data",),
    convention=Convention.INCLUSIVE,
    key="id of the answer where its body was exported, else id of the log",
    where="Logs, Export, or the log export API (JSON lines); cost is in US cents",
    source="Portkey's documentation",
)
