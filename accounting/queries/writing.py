"""Answers as programs read them: the one place that names the fields of REST and commands alike.

Amounts are plain decimal texts, ratios decimal texts rounded half-even to six places, unknown is null.
"""

from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

from accounting.domain.money import plain
from accounting.domain.ratios import written_ratio
from accounting.queries.filters import UsageFilter
from accounting.queries.imports import ImportSummary
from accounting.queries.projection import Projection
from accounting.queries.sessions import SessionRow, SessionSummary
from accounting.queries.spend import Member, UsageRow
from accounting.queries.totals import PARTS, Totals
from accounting.queries.units import amount_in

type Written = dict[str, object]


def written_totals(totals: Totals) -> Written:
    """Sums and ratios; cost is an object with one amount for each currency."""
    return {
        "requests": totals.requests,
        "errors": totals.errors,
        "input_tokens": totals.input_tokens,
        "uncached_input_tokens": totals.uncached_input_tokens,
        "cache_read_input_tokens": totals.cache_read_input_tokens,
        "cache_write_input_tokens": totals.cache_write_input_tokens,
        "cache_write_1h_input_tokens": totals.cache_write_1h_input_tokens,
        "output_tokens": totals.output_tokens,
        "reasoning_output_tokens": totals.reasoning_output_tokens,
        "web_search_requests": totals.web_search_requests,
        "cache_hit_rate": ratio_or_none(totals.cache_hit_rate),
        "input_output_ratio": ratio_or_none(totals.input_output_ratio),
        "cost": {cost.currency: plain(cost.amount) for cost in totals.costs},
        "cost_parts": {
            cost.currency: {part: plain(getattr(cost, part)) for part in PARTS}
            for cost in totals.costs
        },
        "corrections": {
            cost.currency: plain(cost.corrections) for cost in totals.costs if cost.corrections
        },
        "cost_base": amount_or_none(totals.cost_base),
        "cost_base_unknown": totals.cost_base_unknown,
        "cost_base_currencies": list(totals.cost_base_currencies),
        "credits": amount_or_none(totals.credits),
        "credits_unknown": totals.credits_unknown,
        "unpriced_requests": totals.unpriced_requests,
        "unpriced_tokens": totals.unpriced_tokens,
        "assumed_requests": totals.assumed_requests,
    }


def written_whole(totals: Totals, sessions: SessionSummary) -> Written:
    """The totals of a whole answer: with the sessions of its range and their median ratio."""
    return {
        **written_totals(totals),
        "sessions": sessions.sessions,
        "session_ratio_median": ratio_or_none(sessions.ratio_median),
    }


def written_in(totals: Totals, unit: str, own: str) -> Written:
    """A cost as one figure: accounting.queries.units says which. own: the organization's currency."""
    amount = amount_in(totals, unit, own)
    return {"amount": amount_or_none(amount.value), "amount_is_whole": amount.is_whole}


def written_range(wanted: UsageFilter) -> Written:
    """Which local days an answer is about."""
    return {
        "from": wanted.start.isoformat(),
        "to": wanted.end.isoformat(),
        "time_zone": wanted.zone.key,
        "currency": wanted.currency,
    }


def written_row(row: UsageRow) -> Written:
    """One row of a usage table; bucket is a day, or an instant with its offset."""
    return {
        "bucket": written_bucket(row.bucket),
        **written_members(row.group, row.sub),
        **written_totals(row.totals),
    }


def written_session(row: SessionRow) -> Written:
    """One session."""
    return {
        "session_id": row.session_id,
        "started_at": row.started_at.isoformat(),
        "ended_at": row.ended_at.isoformat(),
        **written_totals(row.totals),
    }


def written_import_row(found: ImportSummary) -> Written:
    """One import of a list, its rejections and warnings left out."""
    return {
        "import_id": found.id,
        "path": found.path,
        "format": found.format or None,
        "state": found.state,
        "error_code": found.error_code or None,
        "reason": found.reason or None,
        "received_at": found.received_at.isoformat(),
        "finished_at": found.finished_at.isoformat() if found.finished_at else None,
        **found.outcomes,
        **found.change,
    }


def written_import(found: ImportSummary) -> Written:
    """One import as `ingest --json` prints it, with its id and times."""
    return {
        **written_import_row(found),
        "rejections": [
            {"path": r.path, "line": r.line, "code": r.code, "reason": r.reason}
            for r in found.rejections
        ],
        "warnings": [
            {
                "code": warned.code,
                "lines": warned.lines,
                "places": [{"path": path, "line": line} for path, line in warned.places],
            }
            for warned in found.warnings
        ],
        "aggregate": found.aggregate,
        "assumed_times": found.assumed_times,
    }


def written_projection(projection: Projection, as_of: datetime) -> Written:
    """One currency's projected month."""
    forecast = projection.forecast
    return {
        "from": projection.start.isoformat(),
        "to": projection.end.isoformat(),
        "as_of": as_of.isoformat(),
        "currency": projection.currency,
        "spent": plain(projection.spent),
        "low": amount_or_none(forecast.low),
        "expected": amount_or_none(forecast.expected),
        "high": amount_or_none(forecast.high),
        "method": forecast.method,
        "history_days": forecast.history_days,
        "reason": forecast.reason or None,
    }


def written_members(group: Member | None, sub: Member | None) -> Written:
    """Which group a row is of, and which part of it."""
    return {
        "group": _value(group),
        "group_label": _label(group),
        "sub": _value(sub),
        "sub_label": _label(sub),
    }


def written_bucket(bucket: date | datetime | None) -> str | None:
    """A day as 2026-10-25, an hour as 2026-10-25T02:00:00+02:00."""
    return bucket.isoformat() if bucket else None


def amount_or_none(value: Decimal | None) -> str | None:
    """An amount as plain decimal text, None for an unknown one."""
    return None if value is None else plain(value)


def ratio_or_none(value: Fraction | None) -> str | None:
    """A ratio as decimal text, None for an unknown one."""
    return None if value is None else written_ratio(value)


def _value(member: Member | None) -> str | None:
    return member.value if member else None


def _label(member: Member | None) -> str | None:
    return member.label if member else None
