"""Kong's HTTP log with what its AI plugins add: one entry for each plugin that called a model."""

from dataclasses import replace

from accounting.domain.naming import provider_id
from accounting.domain.usage import Identity, UsageRecord, Use
from ingest.formats.base import Convention, Item, Options, Outcome, RejectedError, Sample, Skipped
from ingest.formats.calls import counted, has_failed, http_status, used
from ingest.formats.fields import cost, milliseconds, text
from ingest.formats.kong_rows import (
    ROWS,
    Entry,
    Latencies,
    Meta,
    Named,
    Response,
    Row,
    Usage,
    counts_of,
    entry_of,
)
from ingest.formats.moments import moment
from ingest.formats.openai_usage import state_of
from ingest.formats.tables import row_format

_UNKNOWN_MODELS = {"UNSPECIFIED", "NOT_SPECIFIED"}
#: Providers whose prompt tokens Kong logs without the cached ones, which are lost.
_CACHE_LOST = {"anthropic", "aws"}


def recognise(sample: Sample) -> str:
    """An entry with a provider's name under ai."""
    for each in sample.objects:
        entries = each.get("ai")
        for entry in entries.values() if isinstance(entries, dict) else ():
            meta = entry.get("meta") if isinstance(entry, dict) else None
            if isinstance(meta, dict) and "provider_name" in meta:
                return "has ai.*.meta.provider_name"
    return ""


def _row(options: Options, item: Item) -> Outcome:
    row = ROWS.decoded(item)
    # The proxy's entry is the request, transformers that asked a model themselves are parts of it.
    names = sorted(row.ai or {}, key=lambda name: ("proxy" not in name, name))
    calls = [(name, entry) for name in names if (entry := entry_of((row.ai or {})[name]))]
    if not calls:
        return Skipped(line=item.line)
    request, caller, route = row.request or Named(), row.consumer or Named(), row.route or Named()
    uses = [_use(row, name, entry) for name, entry in calls]
    request_id = text(request.id, "request.id")
    if not request_id:
        raise RejectedError("missing_field", "request.id is missing", field="request.id")
    identity = Identity(gateway_request_id=request_id)
    told = counted(
        item,
        options,
        identity=identity,
        use=uses[0],
        started_at=moment(row.started_at, "started_at"),
        user_id=text(caller.username or caller.id, "consumer"),
        tags=(("route", text(route.name, "route.name")),) if route.name else (),
    )
    main = told.records[0]
    parts = (
        UsageRecord(identity=replace(identity, part=number), use=use, place=main.place)
        for number, use in enumerate(uses[1:], 1)
    )
    return replace(told, records=(main, *parts))


def _use(row: Row, name: str, entry: Entry) -> Use:
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
        source=FORMAT.name,
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


FORMAT = row_format(
    name="kong",
    title="Kong AI proxy log",
    row=_row,
    recognise=recognise,
    convention=Convention.INCLUSIVE,
    key="request.id",
    where="the http-log or file-log plugin beside ai-proxy with logging.log_statistics",
    source="Kong/kong: the AI plugins' source",
)
