"""The cost export of Anthropic's console: one row for a day, model and kind of token."""

from collections.abc import Mapping
from functools import partial

from ingest.formats.base import Aggregated, Convention, Item, Outcome, RejectedError, Unit
from ingest.formats.fields import Exact, cost, text
from ingest.formats.occurrences import Seen
from ingest.formats.reports import aggregate, columns_seen, day_of, report_format

COLUMNS = (
    "usage_date_utc", "model", "workspace", "api_key", "usage_type", "context_window", "token_type",
    "cost_usd", "cost_type", "inference_geo", "speed",
)  # fmt: skip
_OWN = {"usage_date_utc", "model", "cost_usd"}


def _row(seen: Seen, item: Item) -> Outcome:
    if not isinstance(item.body, Mapping):
        raise RejectedError("not_csv", "JSON, expected a CSV row")
    row = item.body
    amount = cost(Exact(row.get("cost_usd", "").strip().encode()), "cost_usd")
    if amount is None:
        raise RejectedError("missing_field", "a row without its cost", field="cost_usd")
    told = aggregate(
        FORMAT.name,
        seen,
        period=day_of(row.get("usage_date_utc"), "usage_date_utc"),
        provider="anthropic",
        model=text(row.get("model"), "model"),  # a display name, unlike the usage export's
        dimensions={name: cell for name, cell in row.items() if name not in _OWN},
        reported_cost=amount,
        reported_currency="USD",
    )
    return Aggregated(line=item.line, aggregates=(told,))


FORMAT = report_format(
    name="anthropic_console_cost",
    title="Anthropic console cost export",
    row=_row,
    recognise=partial(columns_seen, {*_OWN, "token_type"}),
    convention=Convention.DISJOINT,
    where="Anthropic's console: Cost, Export",
    source="columns that public readers of the export rely on; others are kept as they are named",
    unit=Unit.CSV,
)
