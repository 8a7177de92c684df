"""GitHub's AI usage report: one row for a day, user, model and product."""

from collections.abc import Mapping
from decimal import Decimal
from functools import partial

from accounting.domain.tokens import from_disjoint
from ingest.formats.base import Aggregated, Convention, Item, Outcome, RejectedError, Unit
from ingest.formats.fields import Exact, cost, count, text
from ingest.formats.occurrences import Seen
from ingest.formats.reports import aggregate, columns_seen, day_of, report_format

_AMOUNTS = {
    "quantity", "applied_cost_per_quantity", "gross_amount", "discount_amount", "net_amount",
    "aic_quantity", "aic_gross_amount", "total_monthly_quota", "exceeds_quota",
}  # fmt: skip
COLUMNS = (
    "date", "username", "organization", "repository", "cost_center_name", "product", "sku", "model",
    "unit_type", "input", "output", "cache_read", "cache_write", *sorted(_AMOUNTS),
)  # fmt: skip
_MEASURED = {*_AMOUNTS, "date", "model", "input", "output", "cache_read", "cache_write"}
_CREDITS = "ai-credits"
_AUTO = "Auto: "


def _row(seen: Seen, item: Item) -> Outcome:
    if not isinstance(item.body, Mapping):
        raise RejectedError("not_csv", "JSON, expected a CSV row")
    row = item.body
    counts = from_disjoint(
        uncached=_count(row, "input"),
        cache_read=_count(row, "cache_read"),
        cache_write=_count(row, "cache_write"),
        output_tokens=_count(row, "output"),
    )
    unit, billed = row.get("unit_type", "").lower(), _amount(row, "net_amount")
    model = text(row.get("model"), "model")
    told = aggregate(
        FORMAT.name,
        seen,
        period=day_of(row.get("date"), "date"),
        provider="github-copilot",
        model=model.removeprefix(_AUTO),
        dimensions={
            **{name: cell for name, cell in row.items() if name not in _MEASURED},
            "chosen": "auto" if model.startswith(_AUTO) else "",
        },
        notes=tuple((name, text(row[name], name)) for name in sorted(_AMOUNTS & row.keys())),
        counts=counts,
        reported_cost=billed,
        reported_currency="" if billed is None else "USD",
        credits=_amount(row, "quantity" if unit == _CREDITS else "aic_quantity"),
    )
    return Aggregated(line=item.line, aggregates=(told,))


def _count(row: Mapping[str, str], name: str) -> int | None:
    return count(row.get(name) or None, name)


def _amount(row: Mapping[str, str], name: str) -> Decimal | None:
    return cost(Exact(row.get(name, "").strip().encode()), name)


FORMAT = report_format(
    name="github_ai_usage",
    title="GitHub AI usage report",
    row=_row,
    recognise=partial(
        columns_seen, {"date", "sku", "quantity", "applied_cost_per_quantity", "net_amount"}
    ),
    convention=Convention.DISJOINT,
    where="GitHub: Billing and licensing, Usage, Get usage report",
    source="GitHub's documentation; tests of github/copilot-billing-preview",
    unit=Unit.CSV,
)
