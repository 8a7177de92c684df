"""What one row of the ledger adds to each sum: said once for rollups and for questions to events."""

from accounting.models.rollups import SUMMED_AMOUNTS, SUMMED_COUNTS

#: The operation of a ledger row that corrects a closed month; no request has it.
CORRECTION = "correction"
#: A request that was answered: it neither failed nor is it still running.
ANSWERED = "part = 0 AND status IN ('ok', 'cancelled')"
# An answer out of a gateway's own cache read nothing from the provider's.
_SAYS_CACHE = (
    "NOT gateway_cache_hit AND input_tokens IS NOT NULL AND cache_read_input_tokens IS NOT NULL"
)
_UNPRICED = "cost_state IN ('unpriced', 'partial')"

#: Columns of sums that count rows -> which rows of the ledger they count.
_COUNTED: dict[str, str] = {
    "requests": ANSWERED,
    "errors": "part = 0 AND status = 'error'",
    **{f"known_{name}": f"{name} IS NOT NULL" for name in SUMMED_COUNTS},
    "unpriced_requests": f"part = 0 AND {_UNPRICED}",
    "assumed_requests": "part = 0 AND cost_state = 'assumed'",
    "cost_base_unknown": "cost IS NOT NULL AND cost_base IS NULL",
    "credits_unknown": "cost IS NOT NULL AND credits IS NULL",
}
#: The others -> what they add up; nothing where that is NULL.
_ADDED: dict[str, str] = {
    **{name: name for name in (*SUMMED_COUNTS, *SUMMED_AMOUNTS, "unpriced_tokens")},
    "cache_known_input_tokens": f"CASE WHEN {_SAYS_CACHE} THEN input_tokens END",
    "cache_known_read_tokens": f"CASE WHEN {_SAYS_CACHE} THEN cache_read_input_tokens END",
    "corrections": f"CASE WHEN operation = '{CORRECTION}' THEN cost END",
}
#: Column of a sum -> what one ledger row adds to it, as SQL over the columns of UsageEvent.
ADDENDS: dict[str, str] = {
    "parts": "1",
    **{name: f"({rows})::int" for name, rows in _COUNTED.items()},
    **{name: f"coalesce({value}, 0)" for name, value in _ADDED.items()},
}
#: Column of a sum -> the same of many rows, as PostgreSQL gets there soonest: rows that add nothing
#: are passed over.
TOTALS: dict[str, str] = {
    "parts": "count(*)",
    **{name: f"count(*) FILTER (WHERE {rows})" for name, rows in _COUNTED.items()},
    **{name: f"coalesce(sum({value}), 0)" for name, value in _ADDED.items()},
}
#: The columns of the ledger that these read.
ADDED_COLUMNS = (
    *SUMMED_COUNTS,
    *SUMMED_AMOUNTS,
    "unpriced_tokens",
    "part",
    "status",
    "operation",
    "cost_state",
    "gateway_cache_hit",
)
