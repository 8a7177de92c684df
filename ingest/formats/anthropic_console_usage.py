"""The usage export of Anthropic's console: one row for a day, model, key and workspace."""

from collections.abc import Mapping
from functools import partial

from accounting.domain.tokens import from_disjoint
from ingest.formats.base import Aggregated, Convention, Item, Outcome, RejectedError, Unit
from ingest.formats.fields import count, known_sum, text
from ingest.formats.occurrences import Seen
from ingest.formats.reports import aggregate, columns_seen, day_of, report_format

_UNCACHED, _READ = "usage_input_tokens_no_cache", "usage_input_tokens_cache_read"
_WRITES = (
    "usage_input_tokens_cache_write_5m",
    "usage_input_tokens_cache_write_1h",
    "usage_input_tokens_cache_write",  # older exports have this one alone
)
_OUTPUT, _SEARCHES = "usage_output_tokens", "web_search_count"
COLUMNS = (
    "usage_date_utc", "model_version", "api_key", "workspace", "usage_type", "context_window",
    _UNCACHED, *_WRITES, _READ, _OUTPUT, _SEARCHES, "inference_geo", "speed",
)  # fmt: skip
_MEASURED = {_UNCACHED, _READ, *_WRITES, _OUTPUT, _SEARCHES, "usage_date_utc", "model_version"}


def _row(seen: Seen, item: Item) -> Outcome:
    if not isinstance(item.body, Mapping):
        raise RejectedError("not_csv", "JSON, expected a CSV row")
    row = item.body
    written = known_sum(*(_count(row, name) for name in _WRITES))
    counts = from_disjoint(
        uncached=_count(row, _UNCACHED),
        cache_read=_count(row, _READ),
        cache_write=written,
        output_tokens=_count(row, _OUTPUT),
        web_search_requests=_count(row, _SEARCHES),
    )
    told = aggregate(
        FORMAT.name,
        seen,
        period=day_of(row.get("usage_date_utc"), "usage_date_utc"),
        provider="anthropic",
        model=text(row.get("model_version"), "model_version"),
        dimensions={name: cell for name, cell in row.items() if name not in _MEASURED},
        counts=counts,
    )
    return Aggregated(line=item.line, aggregates=(told,))


def _count(row: Mapping[str, str], name: str) -> int | None:
    return count(row.get(name) or None, name)


FORMAT = report_format(
    name="anthropic_console_usage",
    title="Anthropic console usage export",
    row=_row,
    recognise=partial(columns_seen, {"usage_date_utc", "model_version", _UNCACHED, _OUTPUT}),
    convention=Convention.DISJOINT,
    where="Anthropic's console: Usage, Export",
    source="tests of three public readers of the export",
    unit=Unit.CSV,
)
