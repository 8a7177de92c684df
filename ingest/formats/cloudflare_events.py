"""An event of Cloudflare AI Gateway's Logpush, and what tells it from others: it has no id."""

from collections.abc import Iterator

import msgspec

from ingest.formats.cells import inner_object
from ingest.formats.fields import NOTHING, Count, Decoder, Exact
from ingest.formats.moments import Moment


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


EVENTS = Decoder(Event, {"Timestamp": 1, "cost": 1, "Cached": 1})


def said(event: Event, metrics: Metrics) -> Iterator[object]:
    """Everything that tells one event from another."""
    yield from (str(event.timestamp), event.gateway, event.routing_decision_id)
    yield from (event.provider, event.model, event.requested_model, event.endpoint)
    yield from (event.status_code, event.cached, event.rate_limited)
    yield from (bytes(metrics.cost).decode(), metrics.duration_ms, inner_object(event.metadata))
