"""What `manage.py prices` prints: JSON by the names of import files, and lines for people."""

import json
from dataclasses import asdict
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from accounting.domain.money import plain
from accounting.domain.price_lints import Finding
from accounting.domain.rates import Tiers
from accounting.queries.price_sources import PriceSource
from accounting.queries.prices import PriceRow
from accounting.queries.unpriced import MissingPrice
from accounting.services.builtin_refresh import ListChange, ListDifference
from accounting.services.price_feeds import LeftOut
from accounting.services.pricebooks import PricesChanged

#: Lines for people end here; --json has all of them.
LINES = 40


def json_line(value: Any) -> str:
    """A frozen value as one line of JSON; amounts are plain decimal texts."""
    return json.dumps(asdict(value), default=_json_value, ensure_ascii=False)


def changed_text(changed: PricesChanged) -> str:
    """What a change came to, with what looks wrong and what was left out."""
    lines = [_finding_text(finding) for finding in changed.findings[:LINES]]
    lines += _more(len(changed.findings))
    lines += [_left_out_text(left) for left in changed.left_out]
    if changed.is_refused:
        lines.append(
            f"Nothing was changed: {len(changed.findings)} prices look wrong."
            " Fix them, or say --confirm."
        )
    elif changed.version is None:
        lines.append("Nothing to change: these prices stand already.")
    else:
        lines.append(
            f"Price version {changed.version}: {changed.rates.added} rates added,"
            f" {changed.rates.closed} ended, {changed.rates.superseded} corrected;"
            f" {changed.conversions.added} credit and exchange rates added;"
            f" {changed.newly_priced} requests priced that had no price,"
            f" {changed.followed} that got theirs late priced anew."
        )
    return "\n".join(lines)


def price_json(row: PriceRow) -> str:
    """A rate by the names that `prices import` takes, with its book, id and version beside it."""
    return json.dumps(
        {
            "book": row.book,
            "currency": row.currency,
            "provider": row.provider,
            "model": row.model or "*",
            "unit": row.unit,
            "price": plain(row.price),
            "per": row.per,
            "from": row.effective_from.isoformat(),
            "to": row.effective_to.isoformat() if row.effective_to else None,
            "input_gt": row.input_gt,
            "tier_mode": row.tiers.mode if row.tiers else None,
            "tiers": _steps(row.tiers) if row.tiers else None,
            **row.conditions,
            "window": row.window or None,
            "priority": row.priority,
            "source": row.source,
            "note": row.note,
            "rate_id": row.id,
            "version": row.version,
        },
        ensure_ascii=False,
    )


def price_text(row: PriceRow) -> str:
    """A rate as one line."""
    conditions = [f"{name}={value}" for name, value in sorted(row.conditions.items())]
    if row.input_gt is not None:
        conditions.append(f"input > {row.input_gt}")
    if row.window:
        conditions.append(row.window)
    if row.tiers:
        conditions.append(f"{row.tiers.mode} {_steps(row.tiers)}")
    end = f" to {row.effective_to:%Y-%m-%d}" if row.effective_to else ""
    return (
        f"{row.book}  {_model(row.provider, row.model)}  {row.unit}  {plain(row.price)}"
        f" {row.currency} per {row.per}  from {row.effective_from:%Y-%m-%d}{end}"
        f"  {' '.join(conditions)}".rstrip()
    )


def missing_text(missing: MissingPrice) -> str:
    """A model without a price as one line."""
    return (
        f"{missing.provider or '(no provider)'}  {missing.model}  {missing.unpriced_requests} of"
        f" {missing.requests} requests, {missing.unpriced_tokens} tokens"
    )


def source_text(source: PriceSource) -> str:
    """Where a book's prices came from and how old they are, as one line."""
    stale = "  stale" if source.is_stale else ""
    return (
        f"{source.book}  {source.source or 'entered by hand'}  {source.rates} rates,"
        f" last changed {source.changed_at:%Y-%m-%d}{stale}"
    )


def difference_text(difference: ListDifference) -> str:
    """What taking in the installed list would change."""
    if difference.is_current:
        return f"The list is that of {difference.installed} already."
    lines = [_change_text(change) for change in difference.changes[:LINES]]
    lines += _more(len(difference.changes))
    lines.append(
        f"{difference.loaded or 'nothing'} is loaded, {difference.installed} is installed:"
        f" {len(difference.changes)} prices differ. Nothing was changed; --accept takes them in."
    )
    return "\n".join(lines)


def _change_text(change: ListChange) -> str:
    old, new = ("none" if price is None else plain(price) for price in (change.old, change.new))
    condition = f"  {change.condition}" if change.condition else ""
    return (
        f"{_model(change.provider, change.model)}  {change.unit}  {old} -> {new} per {change.per}"
        f"  from {change.effective_from:%Y-%m-%d}{condition}"
    )


def _finding_text(finding: Finding) -> str:
    model = _model(finding.provider, finding.model)
    return f"{finding.code}  {model}  {finding.unit}: {finding.message}"


def _left_out_text(left: LeftOut) -> str:
    return f"left out: {left.what} ({left.models} models, such as {left.example})"


def _steps(tiers: Tiers) -> str:
    """Tiers as a CSV of prices has them."""
    return "; ".join(f"{above}:{plain(price)}" for above, price in tiers.steps)


def _more(count: int) -> list[str]:
    return [f"… and {count - LINES} more"] if count > LINES else []


def _model(provider: str, model: str) -> str:
    return "/".join(part for part in (provider, model) if part) or "any model"


def _json_value(value: Any) -> str:
    if isinstance(value, Decimal):
        return plain(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not for JSON")
