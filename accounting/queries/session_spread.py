"""How sessions are spread: by their input to output, by what they cost, and one beside the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from accounting.models import SessionTotal
from accounting.queries.filters import UsageFilter
from accounting.queries.selection import session_sums_of
from accounting.queries.wrapping import Row, wrapped

#: A chart of single sessions shows at most so many.
MOST_POINTS = 2_000
#: Every so many percent of the sessions there is one cost.
PERCENTS = tuple(range(1, 101))
# Sessions are grouped once. A bin holds ratios from 2 ** n up to 2 ** (n + 1); what little is added
# keeps a whole power in the bin that it begins. Those drawn are picked by digest, so that they are
# a fair sample and the same one every time.
_SPREAD = f"""
    WITH sessions AS MATERIALIZED ({{}}),
    costs AS (
        SELECT percentile_disc(ARRAY(SELECT n / 100.0::float8 FROM generate_series(1, 100) AS n))
            WITHIN GROUP (ORDER BY base) AS values
        FROM sessions
        WHERE priced_parts > 0 AND unknown_parts = 0
    )
    SELECT 'counts' AS kind, '' AS id, count(*) AS sessions,
        count(*) FILTER (WHERE priced_parts > 0 AND unknown_parts = 0) AS x, count(*) FILTER (WHERE output > 0) AS y
    FROM sessions
    UNION ALL
    SELECT 'bin', '', count(*), floor(ln(input::float8 / output::float8) / ln(2::float8) + 1e-12)::numeric, 0
    FROM sessions
    WHERE input > 0 AND output > 0
    GROUP BY 4
    UNION ALL
    SELECT 'cost', '', percents.place, percents.value, 0
    FROM costs, unnest(costs.values) WITH ORDINALITY AS percents (value, place)
    UNION ALL
    SELECT * FROM (
        SELECT 'point', session_id, 1, input::numeric, output::numeric
        FROM sessions
        WHERE input > 0 AND output > 0
        ORDER BY md5(session_id)
        LIMIT {MOST_POINTS}
    ) AS points
"""  # noqa: S608  constants of ours


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioBin:
    """So many sessions sent at least 2 ** power tokens for each answered one, and less than twice that."""

    power: int
    sessions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPoint:
    """One session's tokens."""

    session_id: str
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSpread:
    """All sessions that started in the range.

    bins: in order, empty ones in between too. costs: what so many percent of the priced sessions do
    not exceed, by PERCENTS, in the organization's currency; empty while none is priced. points: at
    most MOST_POINTS of the sessions with output.
    """

    sessions: int = 0
    priced: int = 0
    with_output: int = 0
    bins: tuple[RatioBin, ...] = ()
    costs: tuple[Decimal, ...] = ()
    points: tuple[SessionPoint, ...] = ()


def session_spread(wanted: UsageFilter) -> SessionSpread:
    """The spread of the sessions that started in the range. One statement.

    Sessions count as priced where something of them has a price and all of that could be converted.
    """
    rows = wrapped(_SPREAD, _sessions(wanted))
    counts = next((row for row in rows if row["kind"] == "counts"), None)
    if counts is None:
        return SessionSpread()
    costs = sorted(_of("cost", rows), key=lambda row: int(row["sessions"]))
    return SessionSpread(
        sessions=int(counts["sessions"]),
        priced=int(counts["x"]),
        with_output=int(counts["y"]),
        bins=_bins({int(row["x"]): int(row["sessions"]) for row in _of("bin", rows)}),
        costs=tuple(row["x"] for row in costs if row["x"] is not None),
        points=tuple(
            SessionPoint(
                session_id=row["id"], input_tokens=int(row["x"]), output_tokens=int(row["y"])
            )
            for row in _of("point", rows)
        ),
    )


def _sessions(wanted: UsageFilter) -> QuerySet[SessionTotal, Any]:
    found: QuerySet[SessionTotal, Any] = (
        session_sums_of(wanted)
        .values("session_id")
        .annotate(
            input=Sum("input_tokens"),
            output=Sum("output_tokens"),
            base=Sum("cost_base"),
            priced_parts=Count("pk", filter=~Q(currency="")),
            unknown_parts=Sum("cost_base_unknown"),
        )
        .order_by()
    )
    return found


def _bins(found: Mapping[int, int]) -> tuple[RatioBin, ...]:
    if not found:
        return ()
    powers = range(min(found), max(found) + 1)
    return tuple(RatioBin(power=power, sessions=found.get(power, 0)) for power in powers)


def _of(kind: str, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["kind"] == kind]
