"""Explanations and repricing runs as programs read them: the same fields for REST and commands."""

from datetime import datetime
from decimal import Decimal

from accounting.domain.money import from_picos, plain
from accounting.domain.tokens import COUNT_NAMES
from accounting.models import RepriceRun
from accounting.queries.explain import ExplainedLine, ExplainedRevision, Explanation
from accounting.queries.explained_rates import AppliedConversion, AppliedRate
from accounting.queries.writing import Written

_PARTS = ("input", "cache_read", "cache_write", "output", "other")


def written_explanation(found: Explanation) -> Written:
    """One event with its bill; event is its key in hex, amounts are plain decimal texts."""
    event = found.event
    return {
        "event": bytes(event.dedupe_key).hex(),
        "occurred_at": event.occurred_at.isoformat(),
        "part": event.part,
        "operation": event.operation,
        "status": event.status,
        "provider": event.provider,
        "model": event.model,
        "written_model": event.response_model or event.request_model,
        "response_id": event.response_id or None,
        "session_id": event.session_id or None,
        **{name: getattr(event, name) for name in COUNT_NAMES},
        "cost_state": event.cost_state,
        "currency": event.currency or None,
        "cost": _amount(event.cost),
        "cost_parts": {part: _amount(getattr(event, f"cost_{part}")) for part in _PARTS},
        "cost_base": _amount(event.cost_base),
        "credits": _amount(event.credits),
        "price_version": event.price_version,
        "is_exact": found.is_exact,
        "lines": [_line(line) for line in found.lines],
        "conversions": [_conversion(conversion) for conversion in found.conversions],
        "import_id": event.import_id or None,
        "import_name": (found.source.name or found.source.door) if found.source else None,
        "import_format": (found.source.format or None) if found.source else None,
        "path": event.path or None,
        "line": event.line or None,
        "byte_offset": event.byte_offset,
        "corrects": found.corrects or None,
        "revisions": [_revision(revision) for revision in found.revisions],
    }


def written_run(run: RepriceRun) -> Written:
    """Where a repricing run stands."""
    return {
        "run": run.pk,
        "state": run.state,
        "from": run.starts_at.isoformat(),
        "to": run.ends_at.isoformat(),
        "price_version": run.price_version,
        "done": run.done,
        "total": run.total,
        "events": run.draft.get("events", 0),
        "changed": (run.outcome or run.draft).get("changed", 0),
        "left": (run.outcome or run.draft).get("left", 0),
        "kept": run.kept,
        "applied_at": _moment(run.applied_at),
        "undone_at": _moment(run.undone_at),
    }


def _line(explained: ExplainedLine) -> Written:
    line = explained.line
    return {
        "unit": line.unit,
        "quantity": line.quantity,
        "unit_price": _amount(line.unit_price),
        "per": line.per,
        "multiplier": plain(line.multiplier),
        "amount": None if line.amount is None else plain(from_picos(line.amount)),
        "rate_id": line.rate_id,
        "rate": _rate(explained.rate) if explained.rate else None,
    }


def _rate(applied: AppliedRate) -> Written:
    row = applied.row
    return {
        "book": row.book,
        "book_kind": applied.book_kind,
        "currency": row.currency,
        "provider": row.provider,
        "model": row.model or None,
        "unit": row.unit,
        "price": plain(row.price),
        "per": row.per,
        "from": row.effective_from.isoformat(),
        "to": _moment(row.effective_to),
        "source": row.source or None,
        "note": row.note or None,
        "price_version": row.version,
        "why": list(applied.why),
    }


def _conversion(applied: AppliedConversion) -> Written:
    return {
        "purpose": applied.purpose,
        "what": applied.what,
        "currency": applied.currency,
        "rate": plain(applied.rate),
        "rate_id": applied.rate_id,
        "from": applied.effective_from.isoformat(),
        "source": applied.source or None,
        "price_version": applied.version,
    }


def _revision(revision: ExplainedRevision) -> Written:
    return {
        "run": revision.run_id,
        "cause": revision.cause,
        "old_cost": _amount(revision.old_cost),
        "old_currency": revision.old_currency or None,
        "new_cost": _amount(revision.new_cost),
        "new_currency": revision.new_currency or None,
        "booked_at": _moment(revision.booked_at),
    }


def _amount(value: Decimal | None) -> str | None:
    return None if value is None else plain(value)


def _moment(value: datetime | None) -> str | None:
    return value.isoformat() if value else None
