"""What each rollup adds up, written once for posting, rebuilding and verifying.

Every rollup is a SELECT over signed ledger rows: +1 for a row that came, -1 for one that went.
"""

from dataclasses import dataclass, field, replace

from accounting.models import AnswerDay
from accounting.models.addends import ADDENDS, ANSWERED
from accounting.models.endings import IS_CUT
from accounting.models.rollups import SUMMED_AMOUNTS

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollup:
    """One rollup table.

    keys: column -> expression over a signed ledger row `e`. joined: further sources of the
    expressions. sums: column -> addend. spans: column -> (aggregate, expression), the columns that
    differences cannot carry. only: which rows take part. inner: column -> expression, by which rows
    are summed before they are joined, where many share them. reads: of what accounting.services.condensing
    makes of a batch: its sums, its latencies, or its events, where sums lack a column that is counted by.
    """

    table: str
    keys: dict[str, str]
    sums: dict[str, str]
    joined: str = ""
    spans: dict[str, tuple[str, str]]
    only: str = "TRUE"
    inner: dict[str, str] = field(default_factory=dict)
    reads: str = "sums"

    @property
    def counted(self) -> str:
        """The column that is 0 exactly when nothing is left of a row."""
        return next(iter(self.sums))

    def summed(self, source: str) -> str:
        """The SELECT of keys, sums and spans over signed rows named by source."""
        keys, sums = self.keys, {name: f"sign * ({value})" for name, value in self.sums.items()}
        if self.inner:
            source = self._summed_before(source, sums)
            keys = {name: name if name in self.inner else value for name, value in keys.items()}
            sums = {name: f"e.{name}" for name in sums}
        expressions = [f"{value} AS {name}" for name, value in keys.items()]
        expressions += [f"sum({value}) AS {name}" for name, value in sums.items()]
        expressions += [
            f"coalesce({how}({value}) FILTER (WHERE sign > 0), {how}({value})) AS {name}"
            for name, (how, value) in self.spans.items()
        ]
        return (
            f"SELECT {', '.join(expressions)} FROM {source} AS e {self.joined} "
            f"WHERE {self.only} GROUP BY {', '.join(str(n + 1) for n in range(len(self.keys)))}"
        )

    @property
    def condensed(self) -> "Rollup":
        """The same over rows that were summed already: each sum and span has a column of its name.

        An instant stands for all of its hour and day. Latencies are counted by bucket already.
        """
        found = self
        if self.reads == "latencies":
            keys = {**self.keys, "metric": "metric", "bucket": "bucket"}
            found = replace(self, keys=keys, joined="", only="TRUE")
        return replace(
            found,
            sums={name: name for name in self.sums},
            spans={
                name: (how, value if value == "occurred_at" else name)
                for name, (how, value) in self.spans.items()
            },
        )

    def _summed_before(self, source: str, sums: dict[str, str]) -> str:
        expressions = [f"{value} AS {name}" for name, value in self.inner.items()]
        expressions += [f"sum({value}) AS {name}" for name, value in sums.items()]
        return (
            f"(SELECT {', '.join(expressions)} FROM {source} AS e "
            f"GROUP BY {', '.join(str(n + 1) for n in range(len(self.inner)))})"
        )

    @property
    def columns(self) -> str:
        """Every column that `summed` fills, in its order."""
        return ", ".join((*self.keys, *self.sums, *self.spans))


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
SESSION_USE = Rollup(
    table="accounting_sessionuse",
    keys={
        **_KEYS,
        **{
            name: name
            for name in (
                "session_id", "project_id", "api_key_id", "user_id", "provider", "model", "source",
            )
        },
    },
    sums={"parts": ADDENDS["parts"]},
    spans={},
    only="session_id <> ''",
)  # fmt: skip
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
    SESSION_TOTAL,
    SESSION_WHOLE,
    SESSION_USE,
    LATENCY_HOUR,
    LATENCY_DAY,
    ANSWER_DAY,
)
