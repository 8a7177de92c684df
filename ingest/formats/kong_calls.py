"""What one AI plugin's entry in Kong's log says of its call to a model."""

from accounting.domain.naming import provider_id
from accounting.domain.usage import Use
from ingest.formats.calls import has_failed, http_status, used
from ingest.formats.fields import cost, milliseconds, text
from ingest.formats.kong_rows import Entry, Latencies, Meta, Response, Row, Usage, counts_of
from ingest.formats.openai_usage import state_of

_UNKNOWN_MODELS = {"UNSPECIFIED", "NOT_SPECIFIED"}
#: Providers whose prompt tokens Kong logs without the cached ones, which are lost.
_CACHE_LOST = {"anthropic", "aws"}


def use_of(row: Row, name: str, entry: Entry, source: str) -> Use:
    """The call of the plugin of that name; how it ended and how long it took is the request's."""
    meta, usage = entry.meta or Meta(), entry.usage or Usage()
    latencies = row.latencies or Latencies()
    status = http_status((row.response or Response()).status, "response.status")
    failed = has_failed(status)
    provider = provider_id(text(meta.provider_name, "provider_name"))
    counts = used(counts_of(usage), failed=failed)
    state = state_of(counts)
    is_hit = ((entry.cache and entry.cache.cache_status) or "").lower() == "hit"
    asked, answered = text(meta.request_model, "request_model"), text(meta.response_model, "model")
    return Use(
        counts=counts,
        usage_state="partial" if state == "reported" and provider in _CACHE_LOST else state,
        source=source,
        provider=provider,
        request_model=answered if asked in _UNKNOWN_MODELS else asked,
        response_model="" if answered in _UNKNOWN_MODELS else answered,
        operation="chat" if "proxy" in name else text(name, "ai"),
        status="error" if failed else "ok",
        http_status=status,
        error_origin=("gateway" if latencies.proxy == -1 else "upstream") if failed else "",
        gateway_cache_hit=is_hit,
        billable=not is_hit,
        duration_ms=milliseconds(
            meta.llm_latency if latencies.request is None else latencies.request, "latency"
        ),
        reported_cost=cost(usage.cost, "usage.cost"),
        reported_currency="USD",
    )
