"""Cloudflare AI Gateway's Logpush events: cost and time of each request, no tokens and no id."""

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.usage import Identity, Use
from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    Sample,
    Scope,
    State,
    Unit,
)
from ingest.formats.calls import counted, has_failed, http_status
from ingest.formats.cells import inner_object
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, cost, milliseconds, outcomes, text
from ingest.formats.labels import labels_of
from ingest.formats.moments import Moment, moment
from ingest.formats.occurrences import Seen, numbered


class Metrics(msgspec.Struct, rename="camel"):
    """What Cloudflare measured."""

    cost: Exact = NOTHING
    duration_ms: Count = None


class Event(msgspec.Struct, rename="pascal"):
    """One request."""

    timestamp: Moment = None
    gateway: str | None = None
    provider: str | None = None
    model: str | None = None
    requested_model: str | None = None
    endpoint: str | None = None
    status_code: Count = None
    cached: bool | None = None
    rate_limited: bool | None = None
    metrics: Metrics | None = None
    metadata: Exact = NOTHING
    routing_decision_id: str | None = msgspec.field(default=None, name="RoutingDecisionID")


_DECODER = Decoder(Event, {"Timestamp": 1, "cost": 1, "Cached": 1})


def recognise(sample: Sample) -> str:
    """The names of its fields."""
    fits = any({"Gateway", "Metrics", "Provider"} <= each.keys() for each in sample.objects)
    return "has Gateway, Metrics and Provider" if fits else ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each event; the state numbers events that are equal to the last byte."""
    if not isinstance(state, Seen):
        raise TypeError(f"{state!r} is no state of {FORMAT.name}")
    return outcomes(items, partial(_event, options, state))


def _event(options: Options, seen: Seen, item: Item) -> Outcome:
    event = _DECODER.decoded(item)
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
        identity=Identity(fingerprint=numbered(seen, *_said(event, metrics))),
        use=use,
        started_at=moment(event.timestamp, "Timestamp", naive_is_utc=True),
        **labels.where(),
    )


def _said(event: Event, metrics: Metrics) -> Iterator[object]:
    """Everything that tells one event from another."""
    yield from (str(event.timestamp), event.gateway, event.routing_decision_id)
    yield from (event.provider, event.model, event.requested_model, event.endpoint)
    yield from (event.status_code, event.cached, event.rate_limited)
    yield from (bytes(metrics.cost).decode(), metrics.duration_ms, inner_object(event.metadata))


FORMAT = Format(
    name="cloudflare_logpush",
    title="Cloudflare AI Gateway events (Logpush)",
    unit=Unit.JSON,
    scope=Scope.FILE,
    convention=Convention.INCLUSIVE,
    key="what the event says, and which of its equals in the file it is",
    where="a Logpush job for the data set ai_gateway_events; choose Timestamp as unixnano",
    source="Cloudflare's documentation",
    recognise=recognise,
    read=read,
    new_state=Seen,
)
