"""Prices as programs read them: by the names that `prices import` takes, beside id and version."""

from datetime import tzinfo

from accounting.domain.money import plain
from accounting.domain.rates import Tiers
from accounting.queries.credit_rates import DatedCreditRate
from accounting.queries.price_rows import PriceRow
from accounting.queries.writing import Written

CONDITIONS = ("service_tier", "processing", "region", "speed", "route")


def written_rate(row: PriceRow, zone: tzinfo) -> Written:
    """One rate; model is '*' for every model of its provider. Conditions it has not are null."""
    return {
        "rate_id": row.id,
        "book": row.book,
        "currency": row.currency,
        "provider": row.provider,
        "model": row.model or "*",
        "unit": row.unit,
        "price": plain(row.price),
        "per": row.per,
        "from": row.effective_from.astimezone(zone).isoformat(),
        "to": row.effective_to.astimezone(zone).isoformat() if row.effective_to else None,
        "input_gt": row.input_gt,
        "tier_mode": row.tiers.mode if row.tiers else None,
        "tiers": _steps(row.tiers) if row.tiers else None,
        **{name: row.conditions.get(name) for name in CONDITIONS},
        "window": row.window or None,
        "priority": row.priority,
        "source": row.source or None,
        "note": row.note or None,
        "price_version": row.version,
    }


def written_credit_rate(rate: DatedCreditRate, zone: tzinfo) -> Written:
    """What one credit costs over a span."""
    end = rate.effective_to
    return {
        "rate_id": rate.id,
        "kind": rate.kind,
        "currency": rate.currency,
        "price": plain(rate.price),
        "from": rate.effective_from.astimezone(zone).isoformat(),
        "to": end.astimezone(zone).isoformat() if end else None,
        "price_version": rate.version,
    }


def _steps(tiers: Tiers) -> list[Written]:
    return [{"above": above, "price": plain(price)} for above, price in tiers.steps]
