"""Cursor's usage export from the dashboard: a CSV row per request, its columns found by name."""

from accounting.domain.naming import provider_id
from accounting.domain.usage import Identity, Use
from ingest.formats import cursor_rows as rows
from ingest.formats.base import Convention, Format, Item, Options, Outcome, Scope, Unit
from ingest.formats.calls import counted
from ingest.formats.fields import text
from ingest.formats.occurrences import Seen, numbered
from ingest.formats.openai_usage import state_of
from ingest.formats.states import read_in_order
from ingest.formats.tables import recognised_by

#: Kinds of requests that did not end well, and kinds that Cursor charges nobody for.
_STATUSES = {"errored, no charge": "error", "aborted, not charged": "cancelled"}
_FREE = {*_STATUSES, "free"}


def _row(options: Options, seen: Seen, item: Item) -> Outcome:
    row = rows.row_of(item)
    started_at, quality = rows.date_of(row)
    model, kind = text(row.get("Model"), "Model"), text(row.get("Kind"), "Kind")
    buckets = rows.buckets_of(row)
    counts, doubts = rows.counts_of(buckets, row)
    ending = kind.lower()
    amount = rows.cost_of(row)
    agent_id, automation_id = row.get("Cloud Agent ID"), row.get("Automation ID")
    tags = {"max_mode": row.get("Max Mode", ""), "automation_id": automation_id or ""}
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider=provider_id(options.provider or "cursor"),
        request_model=model,
        response_model=model,
        status=_STATUSES.get(ending, "ok"),
        billable=ending not in _FREE,
        error_type="errored" if _STATUSES.get(ending) == "error" else "",
        reported_cost=amount,
        reported_currency="" if amount is None else "USD",
    )
    return counted(
        item,
        options,
        identity=Identity(fingerprint=numbered(seen, str(started_at), model, kind, buckets)),
        use=use,
        started_at=started_at,
        time_quality=quality,
        warnings=doubts,
        session_id=text(agent_id, "Cloud Agent ID"),
        user_id=text(row.get("User"), "User"),
        tags=tuple(
            (name, text(word, name)) for name, word in tags.items() if word not in {"", "No"}
        ),
    )


FORMAT = Format(
    name="cursor_csv",
    title="Cursor usage export",
    unit=Unit.CSV,
    scope=Scope.FILE,
    convention=Convention.DISJOINT,
    key="date, model, kind and the four counts, and which of its equals in the file a row is",
    where="Cursor's dashboard: Usage, Export CSV",
    source="rows in the tests of tokscale and TokenTracker",
    recognise=recognised_by({rows.WRITTEN, rows.UNCACHED, rows.READ}),
    read=read_in_order(Seen, _row),
    new_state=Seen,
    extensions=(".csv",),
)
