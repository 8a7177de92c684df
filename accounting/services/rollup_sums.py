"""What each rollup adds up, written once for posting, rebuilding and verifying.

Every rollup is a SELECT over signed ledger rows: +1 for a row that came, -1 for one that went.
"""

from collections.abc import Iterable

from accounting.models import AnswerDay
from accounting.models.addends import ADDENDS, ANSWERED
from accounting.models.endings import IS_CUT
from accounting.models.rollups import SUMMED_AMOUNTS
from accounting.services.rollup_shape import Rollup

#: The sums that follow from an event's charge alone.
OF_CHARGES = frozenset(
    {
        *SUMMED_AMOUNTS,
        "unpriced_requests",
        "unpriced_tokens",
        "assumed_requests",
        "cost_base_unknown",
        "credits_unknown",
    }
)


DAY = "(occurred_at AT TIME ZONE %(zone)s)::date"
HOUR = "date_trunc('hour', occurred_at, %(zone)s)"
END = "occurred_at + coalesce(duration_ms, 0) * interval '1 millisecond'"
_KEYS = {name: name for name in ("organization_id", "purpose", "status")}

USAGE_HOUR = Rollup(
    table="accounting_usagehour",
    keys={
        **_KEYS,
        "hour": HOUR,
        **{
            name: name
            for name in (
                "project_id", "api_key_id", "user_id", "provider", "model", "source", "currency",
            )
        },
    },
    sums=ADDENDS,
    spans={},
)  # fmt: skip
USAGE_DAY = Rollup(
    table="accounting_usageday",
    keys={
        **_KEYS,
        "day": DAY,
        **{name: name for name in ("project_id", "provider", "model", "source", "currency")},
    },
    sums=ADDENDS,
    spans={},
)
USAGE_DAY_ATTRIBUTE = Rollup(
    table="accounting_usagedayattribute",
    keys={
        **_KEYS,
        "day": DAY,
        "attribute": "a.attribute",
        "value": "coalesce(nullif(left(a.value, 200), ''), 'none')",
        "provider": "provider",
        "model": "model",
        "currency": "currency",
    },
    sums=ADDENDS,
    spans={},
    joined="""
        CROSS JOIN LATERAL (
            SELECT * FROM (VALUES ('team', team), ('agent', agent), ('environment', environment),
                                  ('service_tier', service_tier), ('cost_center', cost_center)
                          ) AS fixed (attribute, value)
            UNION ALL
            SELECT 'tag:' || key, value FROM jsonb_each_text(tags)
        ) AS a
    """,
    inner={
        **_KEYS,
        "day": DAY,
        **{
            name: name
            for name in (
                "provider", "model", "currency", "team", "agent", "environment", "service_tier",
                "cost_center", "tags",
            )
        },
    },
)  # fmt: skip
# A row each for its user, its key and its project: summed by them before, as most rows of a day share them.
USAGE_DAY_CALLER = Rollup(
    table="accounting_usagedaycaller",
    keys={
        **_KEYS,
        "caller": "c.caller",
        "day": DAY,
        "user_id": "c.user_id",
        "api_key_id": "c.api_key_id",
        "project_id": "c.project_id",
        "currency": "currency",
    },
    sums=ADDENDS,
    spans={},
    joined="""
        CROSS JOIN LATERAL (
            VALUES ('user', e.by_user, 0, 0), ('key', '', e.by_key, 0), ('project', '', 0, e.by_project)
        ) AS c (caller, user_id, api_key_id, project_id)
    """,
    inner={
        **_KEYS,
        "day": DAY,
        "by_user": "user_id",
        "by_key": "coalesce(api_key_id, 0)",
        "by_project": "project_id",
        "currency": "currency",
    },
)
# Everything that rows can be cut by, as columns of the ledger.
_CUTS = {
    name: name
    for name in (
        "status", "project_id", "user_id", "provider", "model", "source", "team", "agent",
        "environment", "service_tier", "cost_center", "tags",
    )
} | {"api_key_id": "coalesce(api_key_id, 0)"}  # fmt: skip
# What tells cells of a day apart.
_CELL = {**_CUTS, "currency": "currency"}


def _digest(names: Iterable[str]) -> str:
    """Of the values that tell rows apart, so that an index holds few bytes of them.

    The text of a row tells where each value ends; not md5, by which two rows could be made to meet.
    """
    return f"substring(sha256(convert_to(ROW({', '.join(sorted(names))})::text, 'UTF8')) for 16)"


USAGE_DAY_CELL = Rollup(
    table="accounting_usagedaycell",
    keys={
        "organization_id": "organization_id",
        "purpose": "purpose",
        "day": DAY,
        "cell": _digest(_CELL),
        **_CELL,
    },
    sums=ADDENDS,
    spans={},
    inner={"organization_id": "organization_id", "purpose": "purpose", "day": DAY, **_CELL},
    found_by=("organization_id", "purpose", "day", "cell"),
)
SESSION_TOTAL = Rollup(
    table="accounting_sessiontotal",
    keys={
        "organization_id": "organization_id",
        "session_id": "session_id",
        "purpose": "purpose",
        "currency": "currency",
    },
    sums=ADDENDS,
    spans={"started_at": ("min", "occurred_at"), "ended_at": ("max", END)},
    only="session_id <> ''",
)
_USE = {name: name for name in ("organization_id", "session_id", "purpose")}
SESSION_USE = Rollup(
    table="accounting_sessionuse",
    keys={**_USE, "cuts": _digest(_CUTS), **_CUTS},
    sums={"parts": ADDENDS["parts"]},
    spans={},
    only="session_id <> ''",
    inner={**_USE, **_CUTS},
    found_by=(*_USE, "cuts"),
)
SESSION_WHOLE = Rollup(
    table="accounting_sessionwhole",
    keys={name: name for name in ("organization_id", "session_id", "purpose")},
    sums={
        name: ADDENDS[name]
        for name in (
            "parts", "requests", "input_tokens", "known_input_tokens", "cache_read_input_tokens",
            "output_tokens", "cost_base",
        )
    },
    spans=SESSION_TOTAL.spans,
    only="session_id <> ''",
)  # fmt: skip


def _bucket(value: str) -> str:
    """The bucket of a histogram that holds a value above 0, as accounting.domain.histograms says."""
    return f"floor(ln({value}) / ln(1.05))::smallint"


def _latencies(table: str, time: dict[str, str]) -> Rollup:
    return Rollup(
        table=table,
        keys={
            "organization_id": "organization_id",
            **time,
            "purpose": "purpose",
            "provider": "provider",
            "model": "model",
            "metric": "l.metric",
            "bucket": _bucket("l.ms"),
        },
        sums={"requests": "1"},
        spans={},
        joined="""
            CROSS JOIN LATERAL (
                VALUES ('ttft', ttft_ms), ('tpot', tpot_ms), ('duration', duration_ms)
            ) AS l (metric, ms)
        """,
        only="part = 0 AND l.ms > 0",
        reads="latencies",
    )


LATENCY_HOUR = _latencies("accounting_latencyhour", {"hour": HOUR})
LATENCY_DAY = _latencies("accounting_latencyday", {"day": DAY})
ANSWER_DAY = Rollup(
    table="accounting_answerday",
    keys={
        "organization_id": "organization_id",
        "day": DAY,
        "purpose": "purpose",
        "provider": "provider",
        "model": "model",
        "max_output_tokens": "max_output_tokens",
        "ending": f"CASE WHEN {IS_CUT} THEN 'cut' WHEN finish_reason = '' THEN '' ELSE 'whole' END",
        "bucket": f"""CASE
            WHEN finish_reason = '' OR {IS_CUT} OR output_tokens IS NULL THEN {AnswerDay.UNKNOWN}
            WHEN output_tokens = 0 THEN {AnswerDay.ZERO}
            ELSE {_bucket("output_tokens::float8")} END""",
    },
    sums={"requests": "1", "output_tokens": "coalesce(output_tokens, 0)"},
    spans={},
    only=ANSWERED,
    reads="events",
)
#: In the order in which every transaction writes them.
ROLLUPS = (
    USAGE_HOUR,
    USAGE_DAY,
    USAGE_DAY_ATTRIBUTE,
    USAGE_DAY_CALLER,
    USAGE_DAY_CELL,
    SESSION_TOTAL,
    SESSION_WHOLE,
    SESSION_USE,
    LATENCY_HOUR,
    LATENCY_DAY,
    ANSWER_DAY,
)
