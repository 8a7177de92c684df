"""What moved a cost, and what caches saved, as programs read them."""

from accounting.domain.money import plain
from accounting.domain.savings import CacheCost
from accounting.queries.cache import CacheRow
from accounting.queries.cache_moves import CacheMoves
from accounting.queries.change import Change, ChangeAnswer
from accounting.queries.filters import UsageFilter
from accounting.queries.writing import Written, ratio_or_none, written_totals


def written_change(change: Change) -> Written:
    """One currency's difference; the effects sum to it to the last digit."""
    bridge = change.bridge
    before, after = change.corrections
    return {
        "currency": change.currency,
        "before": plain(bridge.before),
        "after": plain(bridge.after),
        "difference": plain(bridge.difference),
        "effects": {name: plain(amount) for name, amount in bridge.effects.items()},
        "corrections_before": plain(before),
        "corrections_after": plain(after),
    }


def written_sides(answer: ChangeAnswer, compared: UsageFilter) -> Written:
    """The totals of both ranges, and which days the asked one is compared with.

    compared_until: the instant at which that range was cut, as the asked one is not over.
    """
    return {
        "compared_from": compared.start.isoformat(),
        "compared_to": compared.end.isoformat(),
        "compared_until": compared.ends_at.astimezone(compared.zone).isoformat(),
        "before": written_totals(answer.before),
        "after": written_totals(answer.after),
    }


def written_cache(row: CacheRow) -> Written:
    """One group's cache; costs has one object for each currency."""
    return {
        "group": row.group.value if row.group else None,
        "group_label": row.group.label if row.group else None,
        "cache_hit_rate": ratio_or_none(row.hit_rate),
        "coverage": ratio_or_none(row.coverage),
        "costs": {currency: _cost(cost) for currency, cost in row.costs},
    }


def written_moves(found: CacheMoves, compared: UsageFilter) -> Written:
    """What moved the hit rate; shares of 1, and the moves of all groups sum to the difference."""
    return {
        "compared_from": compared.start.isoformat(),
        "compared_to": compared.end.isoformat(),
        "before": ratio_or_none(found.before),
        "after": ratio_or_none(found.after),
        "groups": [
            {
                "group": member.value,
                "group_label": member.label,
                "before": ratio_or_none(move.before),
                "after": ratio_or_none(move.after),
                "own": ratio_or_none(move.own),
                "weight": ratio_or_none(move.weight),
                "whole": ratio_or_none(move.whole),
            }
            for member, move in found.groups
        ],
    }


def _cost(cost: CacheCost) -> Written:
    return {
        "read_tokens": cost.read_tokens,
        "read_at_input": plain(cost.read_at_input),
        "read_paid": plain(cost.read_paid),
        "saved": plain(cost.saved),
        "written_tokens": cost.written_tokens,
        "written_at_input": plain(cost.written_at_input),
        "written_paid": plain(cost.written_paid),
        "write_premium": plain(cost.write_premium),
        "net": plain(cost.net),
        "reads_per_write": ratio_or_none(cost.reads_per_write),
        "break_even": ratio_or_none(cost.break_even),
        "unpriced_tokens": cost.unpriced_tokens,
    }
