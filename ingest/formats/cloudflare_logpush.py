"""Cloudflare AI Gateway's Logpush events: cost and time of each request, no tokens and no id."""

from accounting.domain.naming import provider_id
from accounting.domain.usage import Identity, Use
from ingest.formats.base import Convention, Format, Item, Options, Outcome, Scope, Unit
from ingest.formats.calls import counted, has_failed, http_status
from ingest.formats.cells import inner_object
from ingest.formats.cloudflare_events import EVENTS, Metrics, said
from ingest.formats.fields import cost, milliseconds, text
from ingest.formats.labels import labels_of
from ingest.formats.moments import moment
from ingest.formats.occurrences import Seen, numbered
from ingest.formats.states import read_in_order
from ingest.formats.tables import recognised_by


def _event(options: Options, seen: Seen, item: Item) -> Outcome:
    event = EVENTS.decoded(item)
    metrics = event.metrics or Metrics()
    status = http_status(event.status_code, "StatusCode")
    failed = has_failed(status) or bool(event.rate_limited)
    model = text(event.model, "Model")
    use = Use(
        usage_state="missing",
        source=FORMAT.name,
        provider=provider_id(text(event.provider, "Provider")),
        request_model=text(event.requested_model, "RequestedModel") or model,
        response_model=model,
        operation="embeddings" if "embeddings" in (event.endpoint or "") else "chat",
        status="error" if failed else "ok",
        http_status=status,
        error_origin=("gateway" if event.rate_limited else "upstream") if failed else "",
        gateway_cache_hit=bool(event.cached),
        billable=not event.cached,
        duration_ms=milliseconds(metrics.duration_ms, "Metrics.durationMs"),
        reported_cost=cost(metrics.cost, "Metrics.cost"),
        reported_currency="USD",
    )
    labels = labels_of(inner_object(event.metadata), "Metadata")
    return counted(
        item,
        options,
        identity=Identity(fingerprint=numbered(seen, *said(event, metrics))),
        use=use,
        started_at=moment(event.timestamp, "Timestamp", naive_is_utc=True),
        **labels.where(),
    )


FORMAT = Format(
    name="cloudflare_logpush",
    title="Cloudflare AI Gateway events (Logpush)",
    unit=Unit.JSON,
    scope=Scope.FILE,
    convention=Convention.INCLUSIVE,
    key="what the event says, and which of its equals in the file it is",
    where="a Logpush job for the data set ai_gateway_events; choose Timestamp as unixnano",
    source="Cloudflare's documentation",
    recognise=recognised_by({"Gateway", "Metrics", "Provider"}),
    read=read_in_order(Seen, _event),
    new_state=Seen,
)
