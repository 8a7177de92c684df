"""What each rollup adds up, written once for posting, rebuilding and verifying.

Every rollup is a SELECT over signed ledger rows: +1 for a row that came, -1 for one that went.
"""

from dataclasses import dataclass, field, replace

from accounting.models.addends import ADDENDS
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
    are summed before they are joined, where many share them. is_of_singles: what it counts no two
    requests share, so that it needs each row itself.
    """

    table: str
    keys: dict[str, str]
    sums: dict[str, str]
    joined: str = ""
    spans: dict[str, tuple[str, str]]
    only: str = "TRUE"
    inner: dict[str, str] = field(default_factory=dict)
    is_of_singles: bool = False

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

        An instant stands for all of its hour and day.
        """
        return replace(
            self,
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
LATENCY_HOUR = Rollup(
    table="accounting_latencyhour",
    keys={
        "organization_id": "organization_id",
        "hour": HOUR,
        "purpose": "purpose",
        "provider": "provider",
        "model": "model",
        "metric": "l.metric",
        "bucket": "floor(ln(l.ms) / ln(1.05))::smallint",
    },
    sums={"requests": "1"},
    spans={},
    joined="""
        CROSS JOIN LATERAL (VALUES ('ttft', ttft_ms), ('tpot', tpot_ms), ('duration', duration_ms)
        ) AS l (metric, ms)
    """,
    only="part = 0 AND l.ms > 0",
    is_of_singles=True,
)
#: In the order in which every transaction writes them.
ROLLUPS = (
    USAGE_HOUR,
    USAGE_DAY,
    USAGE_DAY_ATTRIBUTE,
    SESSION_TOTAL,
    SESSION_USE,
    LATENCY_HOUR,
)
