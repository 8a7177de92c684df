"""What moved the cache hit rate between two ranges."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from accounting.domain.moves import Move, Share, moves
from accounting.queries.comparing import comparison
from accounting.queries.filters import UsageFilter
from accounting.queries.grouping import summed
from accounting.queries.spend import Member, members_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheMoves:
    """The hit rate before and after, and what each group did to it, the greatest first.

    The moves add up to the difference. They are empty where either rate is unknown.
    """

    before: Fraction | None
    after: Fraction | None
    groups: tuple[tuple[Member, Move], ...]
    is_slow: bool


def cache_moves(wanted: UsageFilter) -> CacheMoves | None:
    """Why the hit rate is not what it was in the compared range; None where nothing is compared.

    By group, model unless the filter has one. Two statements, one more for names of projects or keys.
    """
    compared = comparison(wanted)
    if compared is None:
        return None
    group = wanted.group or "model"
    (old, _), (new, is_slow) = (_shares(which, group) for which in (compared, wanted))
    found = moves(old, new) or {}
    members = members_of(wanted.organization_id, group, found)
    ranked = sorted(found, key=lambda key: (-abs(found[key].whole), members[key].label))
    return CacheMoves(
        before=_whole(old),
        after=_whole(new),
        groups=tuple((members[key], found[key]) for key in ranked),
        is_slow=is_slow,
    )


def _shares(wanted: UsageFilter, group: str) -> tuple[dict[Any, Share], bool]:
    asked = replace(wanted, bucket="", sub="")
    found = summed(asked, (group,), ("cache_known_read_tokens", "cache_known_input_tokens"))
    shares: dict[Any, Share] = {}
    for row in found.rows:
        so_far = shares.get(row["key_0"], Share())
        shares[row["key_0"]] = Share(
            numerator=so_far.numerator + int(row["sum_cache_known_read_tokens"]),
            denominator=so_far.denominator + int(row["sum_cache_known_input_tokens"]),
        )
    return {key: share for key, share in shares.items() if share.denominator}, found.is_slow


def _whole(shares: dict[Any, Share]) -> Fraction | None:
    return Share(
        numerator=sum(share.numerator for share in shares.values()),
        denominator=sum(share.denominator for share in shares.values()),
    ).ratio
