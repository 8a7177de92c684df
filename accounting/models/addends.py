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

#: Column of a sum -> what one ledger row adds to it, as SQL over the columns of UsageEvent.
ADDENDS: dict[str, str] = {
    "parts": "1",
    "requests": f"({ANSWERED})::int",
    "errors": "(part = 0 AND status = 'error')::int",
    **{name: f"coalesce({name}, 0)" for name in SUMMED_COUNTS},
    **{f"known_{name}": f"({name} IS NOT NULL)::int" for name in SUMMED_COUNTS},
    "cache_known_input_tokens": f"CASE WHEN {_SAYS_CACHE} THEN input_tokens ELSE 0 END",
    "cache_known_read_tokens": f"CASE WHEN {_SAYS_CACHE} THEN cache_read_input_tokens ELSE 0 END",
    "unpriced_requests": f"(part = 0 AND {_UNPRICED})::int",
    "unpriced_tokens": "unpriced_tokens",
    "assumed_requests": "(part = 0 AND cost_state = 'assumed')::int",
    **{name: f"coalesce({name}, 0)" for name in SUMMED_AMOUNTS},
    "corrections": f"CASE WHEN operation = '{CORRECTION}' THEN coalesce(cost, 0) ELSE 0 END",
    "cost_base_unknown": "(cost IS NOT NULL AND cost_base IS NULL)::int",
    "credits_unknown": "(cost IS NOT NULL AND credits IS NULL)::int",
}
