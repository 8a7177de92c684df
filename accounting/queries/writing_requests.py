"""Single requests, and the turns of a session, as programs read them."""

from datetime import tzinfo

from accounting.queries.requests import RequestRow
from accounting.queries.session_turns import SessionTurns, Turn
from accounting.queries.spend import Member
from accounting.queries.writing import (
    Written,
    amount_or_none,
    ratio_or_none,
    written_totals,
)

_COUNTS = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
)


def written_request(row: RequestRow) -> Written:
    """One row of the ledger with the line it was read from; texts that nobody told are null."""
    return {
        "event": row.dedupe_key,
        "occurred_at": row.occurred_at.isoformat(),
        "part": row.part,
        "status": row.status,
        "project": row.project.value,
        "key": _named(row.api_key),
        "user": row.user_id or None,
        "team": row.team or None,
        "session_id": row.session_id or None,
        "agent": row.agent or None,
        "provider": row.provider,
        "model": row.model,
        "request_model": row.request_model or None,
        "operation": row.operation or None,
        "http_status": row.http_status,
        "error_type": row.error_type or None,
        "error_origin": row.error_origin or None,
        "finish_reason": row.finish_reason or None,
        "usage_state": row.usage_state,
        **{name: getattr(row, name) for name in (*_COUNTS, "reasoning_output_tokens")},
        "max_output_tokens": row.max_output_tokens,
        "duration_ms": row.duration_ms,
        "ttft_ms": row.ttft_ms,
        "cost_state": row.cost_state,
        "currency": row.currency or None,
        "cost": amount_or_none(row.cost),
        "credits": amount_or_none(row.credits),
        "unpriced_tokens": row.unpriced_tokens,
        "reported_cost": amount_or_none(row.reported_cost),
        "reported_currency": row.reported_currency or None,
        "price_version": row.price_version,
        "import_id": row.lineage.import_id or None,
        "import_name": row.lineage.import_name or None,
        "path": row.lineage.path or None,
        "line": row.lineage.line or None,
        "byte_offset": row.lineage.byte_offset,
        "source": row.lineage.source,
    }


def written_turn(turn: Turn, zone: tzinfo) -> Written:
    """One row of a session; turn is null for parts, failures and corrections."""
    return {
        "event": turn.dedupe_key,
        "turn": turn.number,
        "occurred_at": turn.occurred_at.astimezone(zone).isoformat(),
        "part": turn.part,
        "status": turn.status,
        "operation": turn.operation or None,
        "provider": turn.provider,
        "model": turn.model,
        "agent": turn.agent or None,
        "is_sidechain": turn.is_sidechain,
        **{name: getattr(turn, name) for name in _COUNTS},
        "max_output_tokens": turn.max_output_tokens,
        "input_output_ratio": ratio_or_none(turn.input_output_ratio),
        "finish_reason": turn.finish_reason or None,
        "duration_ms": turn.duration_ms,
        "cost_state": turn.cost_state,
        "currency": turn.currency or None,
        "cost": amount_or_none(turn.cost),
        "cost_so_far": amount_or_none(turn.cost_so_far),
        "unpriced_tokens": turn.unpriced_tokens,
        "grown": turn.grown,
        "is_truncated": turn.is_truncated,
        "is_continuation": turn.is_continuation,
        "is_context_cut": turn.is_context_cut,
    }


def written_session_head(found: SessionTurns, zone: tzinfo) -> Written:
    """A session and its sums, which are of all of it."""
    return {
        "session_id": found.session_id,
        "started_at": found.started_at.astimezone(zone).isoformat(),
        "ended_at": found.ended_at.astimezone(zone).isoformat(),
        "totals": written_totals(found.totals),
    }


def _named(member: Member) -> str | None:
    return member.value or None
