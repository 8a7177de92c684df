"""Cloudflare AI Gateway's logs API: pages of requests with their tokens."""

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.tokens import from_inclusive
from accounting.domain.usage import Identity, Use
from ingest.formats.base import Convention, Item, Options, Outcome
from ingest.formats.calls import counted, has_failed, http_status, used
from ingest.formats.cells import inner_object
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, cost, count, milliseconds, text
from ingest.formats.labels import labels_of
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import state_of
from ingest.formats.tables import row_format


class Row(msgspec.Struct):
    """One request. What a provider cached of the prompt is not told."""

    id: str
    cached: bool | None = None
    cost: Exact = NOTHING
    created_at: Moment = None
    duration: Count = None
    metadata: Exact = NOTHING
    model: str | None = None
    path: str | None = None
    provider: str | None = None
    status_code: Count = None
    success: bool | None = None
    tokens_in: Count = None
    tokens_out: Count = None


_DECODER = Decoder(Row, {"tokens_in": 1, "tokens_out": 1, "cost": 1})


def _row(options: Options, item: Item) -> Outcome:
    row = _DECODER.decoded(item)
    status = http_status(row.status_code, "status_code")
    failed = row.success is False or has_failed(status)
    counts = from_inclusive(
        input_tokens=count(row.tokens_in, "tokens_in"),
        output_tokens=count(row.tokens_out, "tokens_out"),
    )
    counts = used(counts, failed=failed)
    model = text(row.model, "model")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider=provider_id(text(row.provider, "provider")),
        request_model=model,
        response_model=model,
        operation="embeddings" if "embeddings" in (row.path or "") else "chat",
        status="error" if failed else "ok",
        http_status=status,
        error_origin="upstream" if failed else "",
        gateway_cache_hit=bool(row.cached),
        billable=not row.cached,
        duration_ms=milliseconds(row.duration, "duration"),
        reported_cost=cost(row.cost, "cost"),
        reported_currency="USD",
    )
    labels = labels_of(inner_object(row.metadata), "metadata")
    return counted(
        item,
        options,
        identity=Identity(gateway_request_id=text(row.id, "id")),
        use=use,
        started_at=moment(row.created_at, "created_at", naive_is_utc=True),
        **labels.where(),
    )


FORMAT = row_format(
    name="cloudflare_logs",
    title="Cloudflare AI Gateway logs (API)",
    row=_row,
    columns=({"tokens_in", "tokens_out", "cached", "provider"},),
    pages=("result",),
    convention=Convention.INCLUSIVE,
    key="id",
    where="GET /accounts/…/ai-gateway/gateways/…/logs",
    source="Cloudflare's documentation",
)
