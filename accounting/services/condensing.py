"""What a batch adds to the rollups, summed once by everything that any of them tells apart.

Requests of a session differ in little but their counts, so that the rollups then add up a fraction of
the batch's rows instead of all of them again and again.
"""

from typing import Any

from django.db import connection

from accounting.models.addends import ADDENDS
from accounting.models.rollups import SUMMED_AMOUNTS
from accounting.services.ledger import Staged
from accounting.services.rollup_sums import DAY, END, HOUR, LATENCY_HOUR
from accounting.services.rollups import add_condensed

_KEYS = {
    "organization_id": "bigint",
    "project_id": "bigint",
    "api_key_id": "bigint",
    **dict.fromkeys(
        (
            "purpose", "status", "user_id", "provider", "model", "source", "currency", "team", "agent",
            "environment", "service_tier", "cost_center", "session_id", "reported_currency",
        ),
        "text",
    ),
    "tags": "jsonb",
}  # fmt: skip
_AMOUNTS = frozenset({*SUMMED_AMOUNTS, "corrections", "reported_cost"})
#: What the change of the books tells beside the rollups.
_SUMS = {**ADDENDS, "reported_cost": "coalesce(reported_cost, 0)"}
_SUM_TYPES = {name: "numeric" if name in _AMOUNTS else "bigint" for name in _SUMS}
_TYPES = {
    "sign": "smallint",
    "told_by": "bigint",
    **_KEYS,
    "occurred_at": "timestamptz",
    "ended_at": "timestamptz",
    **_SUM_TYPES,
}

# An hour may begin at one instant by two offsets, hence the day too. Every row of a group lies in the
# hour and the day of the earliest.
_SPANS = f"min(occurred_at), max({END})"
MAKE_SUMS = f"""
    CREATE TEMPORARY TABLE IF NOT EXISTS posting_sums
        ({", ".join(f"{name} {kind}" for name, kind in _TYPES.items())}) ON COMMIT DELETE ROWS;
    DELETE FROM posting_sums
"""
# Staged amounts are whole picos: they are summed as integers, and turned into amounts once.
SUM_NEW = f"""
    INSERT INTO posting_sums
    SELECT 1, import_id, {{keys}}, {_SPANS},
           {
    ", ".join(
        f"trim_scale(sum({value}) * 1e-12)" if name in _AMOUNTS else f"sum({value})"
        for name, value in _SUMS.items()
    )
}
    FROM {{source}} AS e
    GROUP BY import_id, {HOUR}, {DAY} {{grouped}}
"""
# A rewritten row keeps the import that recorded it; the staged one says who told it now.
SUM_REWRITTEN = f"""
    INSERT INTO posting_sums
    SELECT sign, told_by, {", ".join(_KEYS)}, {_SPANS},
           {", ".join(f"sum({value})" for value in _SUMS.values())}
    FROM posting_change
    JOIN (SELECT dedupe_key, import_id AS told_by FROM posting_stage) AS s USING (dedupe_key)
    GROUP BY sign, told_by, {HOUR}, {DAY}, {", ".join(_KEYS)}
"""
#: What rollups need of rows one by one.
_SINGLE = (
    "organization_id", "purpose", "status", "occurred_at", "part", "provider", "model",
    "ttft_ms", "tpot_ms", "duration_ms", "finish_reason", "max_output_tokens", "output_tokens",
)  # fmt: skip
_COUNTED = ("sign", "organization_id", "purpose", "provider", "model", "metric", "bucket")
MAKE_LATENCIES = """
    CREATE TEMPORARY TABLE IF NOT EXISTS posting_latencies
        (sign smallint, organization_id bigint, purpose text, provider text, model text, metric text,
         bucket smallint, occurred_at timestamptz, requests bigint) ON COMMIT DELETE ROWS;
    DELETE FROM posting_latencies
"""
# Counted once for hours and days: a logarithm for each of three latencies is most of what both take.
COUNT_LATENCIES = f"""
    INSERT INTO posting_latencies
    SELECT {", ".join(LATENCY_HOUR.keys.get(name, name) for name in _COUNTED)},
           min(occurred_at), count(*)
    FROM {{events}} AS e {LATENCY_HOUR.joined}
    WHERE {LATENCY_HOUR.only}
    GROUP BY {", ".join(str(n + 1) for n in range(len(_COUNTED)))}, {HOUR}, {DAY}
"""


def add_batch(
    organization_id: int, zone: str, staged: Staged, *, new: set[bytes], with_losses: bool
) -> None:
    """Add a batch to every rollup: the staged rows that are new, and what posting_change says.

    with_losses: whether rows were rewritten. posting_sums holds the sums then, until the commit.
    """
    parameters: dict[str, Any] = {
        **staged.shared,
        "organization": organization_id,
        "zone": zone,
    }
    only = ""
    if len(new) < staged.rows:
        only = "WHERE s.dedupe_key = ANY(%(new)s)"
        parameters["new"] = list(new)
    keys = {name: staged.value(name) if name in staged.shared else f"e.{name}" for name in _KEYS}
    varying = [name for name in _KEYS if name not in staged.shared]
    single = f"SELECT 1 AS sign, {staged.named(_SINGLE)} FROM posting_stage AS s {only}"
    if with_losses:
        single = f"{single} UNION ALL SELECT sign, {', '.join(_SINGLE)} FROM posting_change"
    with connection.cursor() as cursor:
        cursor.execute(MAKE_SUMS)
        if new:
            statement = SUM_NEW.format(
                keys=", ".join(keys.values()),
                source=f"(SELECT {staged.named()} FROM posting_stage AS s {only})",
                grouped="".join(f", e.{name}" for name in varying),
            )
            cursor.execute(statement, parameters)
        if with_losses:
            cursor.execute(SUM_REWRITTEN, parameters)
        cursor.execute(MAKE_LATENCIES)
        cursor.execute(COUNT_LATENCIES.format(events=f"({single})"), parameters)
    sources = {"sums": "posting_sums", "latencies": "posting_latencies", "events": f"({single})"}
    add_condensed(parameters, sources, with_losses=with_losses)
