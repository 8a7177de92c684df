"""Kong's HTTP log with what its AI plugins add: one entry for each plugin that called a model."""

from dataclasses import replace

from accounting.domain.usage import Identity
from ingest.formats.base import Convention, Item, Options, Outcome, RejectedError, Sample, Skipped
from ingest.formats.calls import counted
from ingest.formats.fields import text
from ingest.formats.kong_calls import use_of
from ingest.formats.kong_rows import ROWS, Named, entry_of
from ingest.formats.moments import moment
from ingest.formats.tables import row_format


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
    uses = [use_of(row, name, entry, FORMAT.name) for name, entry in calls]
    request_id = text(request.id, "request.id")
    if not request_id:
        raise RejectedError("missing_field", "request.id is missing", field="request.id")
    told = counted(
        item,
        options,
        identity=Identity(gateway_request_id=request_id),
        use=uses[0],
        started_at=moment(row.started_at, "started_at"),
        user_id=text(caller.username or caller.id, "consumer"),
        tags=(("route", text(route.name, "route.name")),) if route.name else (),
    )
    main = told.records[0]
    parts = (
        replace(main, identity=replace(main.identity, part=number), use=use)
        for number, use in enumerate(uses[1:], 1)
    )
    return replace(told, records=(main, *parts))


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
