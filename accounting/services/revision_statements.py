"""The statements of accounting.services.revisions.

reprice_stage holds what charges were and are to be; charge_change what the rollups look at of each
event, as it was and as it is, signed as after posting. Both are session-temporary and empty themselves
at commit.
"""

from accounting.models.rollups import SUMMED_COUNTS
from accounting.services.charged_events import CHARGE_COLUMNS

_SIDES = ("old", "new")
_BOTH = {f"{side}_{name}": kind for side in _SIDES for name, kind in CHARGE_COLUMNS.items()}
_HEAD = {
    "dedupe_key": "bytea",
    "month": "date",
    "occurred_at": "timestamptz",
    "content_digest": "bytea",
    "cause": "text",
    "correction_at": "timestamptz",
}
#: Staged and not kept.
_ASIDE = {"project_id": "bigint"}
STAGED = {
    **_HEAD,
    **_ASIDE,
    **{name: kind.replace("money", "bigint") for name, kind in _BOTH.items()},
}
_COPY_TYPES = {"bigint": "int8"}
STAGED_TYPES = [_COPY_TYPES.get(kind, kind) for kind in STAGED.values()]
#: What the rollups read of an event besides its charge.
_PLAIN = (
    "organization_id", "purpose", "status", "occurred_at", "part", "operation", "source", "provider",
    "project_id", "api_key_id", "user_id", "session_id", "team", "agent", "environment",
    "service_tier", "cost_center", "tags", "gateway_cache_hit", "duration_ms", "ttft_ms", "tpot_ms",
    "finish_reason", "max_output_tokens",
    *SUMMED_COUNTS,
)  # fmt: skip
_CHARGED = [name for name in CHARGE_COLUMNS if name not in {"price_version", "filled_in"}]
_ROLLED = ", ".join((*_PLAIN, *_CHARGED))


def _money(name: str, kind: str) -> str:
    # Staged as whole picos; trim_scale drops the zeros that the product would otherwise carry.
    return f"trim_scale({name} * 1e-12)" if kind == "money" else name


def _picos(name: str, kind: str) -> str:
    return f"({name} * 1e12)::bigint" if kind == "money" else name


MAKE_STAGE = f"""
    CREATE TEMPORARY TABLE IF NOT EXISTS reprice_stage (
        {", ".join(f"{name} {kind}" for name, kind in STAGED.items())}
    ) ON COMMIT DELETE ROWS;
    CREATE TEMPORARY TABLE IF NOT EXISTS charge_change ON COMMIT DELETE ROWS AS
        SELECT 1::smallint AS sign, {_ROLLED} FROM public.accounting_usageevent WHERE FALSE;
    DELETE FROM reprice_stage;
    DELETE FROM charge_change
"""
KEEP_REVISIONS = f"""
    INSERT INTO accounting_costrevision (organization_id, run_id, {", ".join((*_HEAD, *_BOTH))})
    SELECT %(organization)s,
           %(run)s,
           {", ".join((*_HEAD, *(_money(name, kind) for name, kind in _BOTH.items())))}
    FROM reprice_stage
    WHERE %(all)s OR correction_at IS NOT NULL
    ORDER BY occurred_at, dedupe_key
"""
_OF_STAGED = """
    WHERE e.organization_id = %(organization)s
      AND e.dedupe_key = s.dedupe_key
      AND e.month = s.month
      AND e.month BETWEEN %(first)s AND %(last)s
      AND s.correction_at IS NULL
"""
# Locks in key order, as posting does, those that are still what they were when they were read.
LOCK_STAGED = f"""
    SELECT count(*) FROM (
        SELECT FROM accounting_usageevent AS e, reprice_stage AS s
        {_OF_STAGED}
          AND e.content_digest = s.content_digest
          AND e.occurred_at = s.occurred_at
          AND e.project_id = s.project_id
          AND e.price_version = s.old_price_version
          AND e.cost_state = s.old_cost_state
        ORDER BY e.dedupe_key, e.month
        FOR UPDATE OF e
    ) AS locked
"""
# One row for one row, by the primary key.
CHARGE_EVENTS = f"""
    WITH changed AS (
        UPDATE accounting_usageevent AS e
        SET ({", ".join(CHARGE_COLUMNS)}) = ROW (
            {", ".join(_money(f"s.new_{name}", kind) for name, kind in CHARGE_COLUMNS.items())}
        )
        FROM reprice_stage AS s
        {_OF_STAGED}
        RETURNING {", ".join(f"e.{name}" for name in (*_PLAIN, *_CHARGED))},
                  {", ".join(f"s.old_{name}" for name in _CHARGED)}
    )
    INSERT INTO charge_change
    SELECT 1, {_ROLLED} FROM changed
    UNION ALL
    SELECT -1,
           {", ".join((*_PLAIN, *(_money(f"old_{n}", CHARGE_COLUMNS[n]) for n in _CHARGED)))}
    FROM changed
"""
_OF_REVISIONS = """
    FROM accounting_costrevision AS r
    JOIN accounting_usageevent AS e
      ON e.organization_id = r.organization_id
     AND e.dedupe_key = r.dedupe_key
     AND e.month = r.month
    WHERE r.id = ANY(%(ids)s)
      AND e.organization_id = %(organization)s
      AND e.month BETWEEN %(first)s AND %(last)s
"""
# Leaves alone what something else has changed since the run.
LOCK_UNCHANGED = f"""
    SELECT r.id
    {_OF_REVISIONS}
      AND r.correction_at IS NULL
      AND e.content_digest = r.content_digest
      AND e.occurred_at = r.occurred_at
      AND e.price_version = r.new_price_version
      AND e.cost IS NOT DISTINCT FROM r.new_cost
    ORDER BY e.dedupe_key, e.month
    FOR UPDATE OF e
"""
_TURNED = {"old": "new", "new": "old"}
STAGE_BACK = f"""
    INSERT INTO reprice_stage
    SELECT {
    ", ".join(
        (
            *_HEAD,
            *("NULL" for _ in _ASIDE),
            *(
                _picos(f"{_TURNED[side]}_{name}", kind)
                for side in _SIDES
                for name, kind in CHARGE_COLUMNS.items()
            ),
        )
    )
}
    FROM accounting_costrevision
    WHERE id = ANY(%(ids)s)
    ORDER BY dedupe_key, month
"""
CORRECTIONS_CAME = f"INSERT INTO charge_change SELECT sign, {_ROLLED} FROM posting_change"
TAKE_CORRECTIONS_AWAY = f"""
    WITH gone AS (
        DELETE FROM accounting_usageevent AS e
        WHERE e.organization_id = %(organization)s
          AND e.dedupe_key = ANY(%(keys)s)
          AND e.month = ANY(%(months)s)
        RETURNING e.*
    )
    INSERT INTO charge_change SELECT -1, {_ROLLED} FROM gone
"""
# A staged row finds its event by the primary key; without statistics of what this transaction has
# just written, the planner might read whole months instead.
BY_KEY_ALONE = "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"
AS_BEFORE = "SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on"
