"""Sums of the ledger: what each rollup adds up, written once for posting, rebuilding and verifying.

Every rollup is a SELECT over signed ledger rows: +1 for a row that came, -1 for one that went.
Posting adds such sums to the stored ones; a rebuild stores the sums of all rows.
"""

from dataclasses import dataclass, field, replace

from django.db import connection, transaction

from accounting.models import Organization
from accounting.models.rollups import SUMMED_AMOUNTS, SUMMED_COUNTS
from accounting.services.closed_months import CORRECTION, refuse_closed
from accounting.services.locks import lock_books

_ANSWERED = "part = 0 AND status IN ('ok', 'cancelled')"
# An answer out of a gateway's own cache read nothing from the provider's.
_SAYS_CACHE = (
    "NOT gateway_cache_hit AND input_tokens IS NOT NULL AND cache_read_input_tokens IS NOT NULL"
)
_UNPRICED = "cost_state IN ('unpriced', 'partial')"

#: Column of a rollup -> what one ledger row adds to it, before its sign.
ADDENDS: dict[str, str] = {
    "parts": "1",
    "requests": f"({_ANSWERED})::int",
    "errors": "(part = 0 AND status = 'error')::int",
    **{name: f"coalesce({name}, 0)" for name in SUMMED_COUNTS},
    **{f"known_{name}": f"({name} IS NOT NULL)::int" for name in SUMMED_COUNTS},
    "cache_known_input_tokens": f"CASE WHEN {_SAYS_CACHE} THEN input_tokens ELSE 0 END",
    "cache_known_read_tokens": f"CASE WHEN {_SAYS_CACHE} THEN cache_read_input_tokens ELSE 0 END",
    "unpriced_requests": f"(part = 0 AND {_UNPRICED})::int",
    "unpriced_tokens": "unpriced_tokens",
    "assumed_requests": "(part = 0 AND cost_state = 'assumed')::int",
    **{name: f"coalesce({name}, 0)" for name in SUMMED_AMOUNTS},
    "corrections": f"CASE WHEN operation = '{CORRECTION}' THEN coalesce(cost, 0) ELSE 0 END",
    "cost_base_unknown": "(cost IS NOT NULL AND cost_base IS NULL)::int",
    "credits_unknown": "(cost IS NOT NULL AND credits IS NULL)::int",
}

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
    are summed before they are joined, where many share them.
    """

    table: str
    keys: dict[str, str]
    sums: dict[str, str]
    joined: str = ""
    spans: dict[str, tuple[str, str]]
    only: str = "TRUE"
    inner: dict[str, str] = field(default_factory=dict)

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


_HOUR = "date_trunc('hour', occurred_at, %(zone)s)"
_END = "occurred_at + coalesce(duration_ms, 0) * interval '1 millisecond'"
_KEYS = {name: name for name in ("organization_id", "purpose", "status")}

USAGE_HOUR = Rollup(
    table="accounting_usagehour",
    keys={
        **_KEYS,
        "hour": _HOUR,
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
USAGE_DAY_ATTRIBUTE = Rollup(
    table="accounting_usagedayattribute",
    keys={
        **_KEYS,
        "day": "(occurred_at AT TIME ZONE %(zone)s)::date",
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
        "day": "(occurred_at AT TIME ZONE %(zone)s)::date",
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
    spans={"started_at": ("min", "occurred_at"), "ended_at": ("max", _END)},
    only="session_id <> ''",
)
LATENCY_HOUR = Rollup(
    table="accounting_latencyhour",
    keys={
        "organization_id": "organization_id",
        "hour": _HOUR,
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
)
#: In the order in which every transaction writes them.
ROLLUPS = (USAGE_HOUR, USAGE_DAY_ATTRIBUTE, SESSION_TOTAL, LATENCY_HOUR)

_EVERY_ROW = (
    "(SELECT 1 AS sign, * FROM accounting_usageevent WHERE organization_id = %(organization)s)"
)


def add_differences(organization_id: int, zone: str, *, source: str, with_losses: bool) -> None:
    """Add the sums of signed rows to every rollup, each in the order of its keys.

    source: a table of ledger rows with a sign. with_losses: whether it holds negative ones; then
    emptied rows are deleted and the spans of touched sessions are read again from the ledger.
    """
    parameters: dict[str, int | str] = {"organization": organization_id, "zone": zone}
    with connection.cursor() as cursor:
        for rollup in ROLLUPS:
            cursor.execute(_added(rollup, source), parameters)
            if with_losses:
                cursor.execute(_emptied(rollup, source), parameters)
                if rollup.spans:
                    cursor.execute(_spans_again(rollup, source), parameters)


def add_charge_differences(organization_id: int, zone: str, *, source: str) -> None:
    """Add signed rows that differ in their amounts alone: same keys, same counts, same times."""
    parameters: dict[str, int | str] = {"organization": organization_id, "zone": zone}
    with connection.cursor() as cursor:
        for rollup in ROLLUPS:
            sums = {name: value for name, value in rollup.sums.items() if name in OF_CHARGES}
            if sums:
                cursor.execute(_added(replace(rollup, sums=sums), source), parameters)


def rebuild(*, organization_id: int) -> int:
    """Store the sums of the whole ledger of an organization anew; the number of rows written."""
    with transaction.atomic():
        lock_books(organization_id)
        return _rebuilt(organization_id)


def change_time_zone(*, organization_id: int, time_zone: str) -> int:
    """Cut hours and days by another zone from now on; the number of rollup rows written.

    Nobody posts meanwhile: a batch that waits reads the new zone once it has its locks. Raises
    MonthClosedError once a month is closed: its days would be other days.
    """
    with transaction.atomic():
        lock_books(organization_id)
        refuse_closed(organization_id)
        Organization.objects.filter(pk=organization_id).update(time_zone=time_zone)
        return _rebuilt(organization_id)


def differences(*, organization_id: int) -> dict[str, int]:
    """Rows that differ from the sums of the ledger, per rollup table, and keys in two months.

    All are 0 when the books are right. Each table is compared in one statement, hence at one moment.
    """
    zone = Organization.objects.get(pk=organization_id).time_zone
    parameters: dict[str, int | str] = {"organization": organization_id, "zone": zone}
    found: dict[str, int] = {}
    with connection.cursor() as cursor:
        for rollup in ROLLUPS:
            cursor.execute(_differing(rollup), parameters)
            found[rollup.table] = cursor.fetchone()[0]
        cursor.execute(KEYS_IN_TWO_MONTHS, parameters)
        found["keys_in_two_months"] = cursor.fetchone()[0]
    return found


KEYS_IN_TWO_MONTHS = """
    SELECT count(*) FROM (
        SELECT dedupe_key FROM accounting_usageevent WHERE organization_id = %(organization)s
        GROUP BY dedupe_key HAVING count(*) > 1
    ) AS twice
"""


def _rebuilt(organization_id: int) -> int:
    zone = Organization.objects.get(pk=organization_id).time_zone
    parameters: dict[str, int | str] = {"organization": organization_id, "zone": zone}
    written = 0
    with connection.cursor() as cursor:
        for rollup in ROLLUPS:
            cursor.execute(
                f"DELETE FROM {rollup.table} WHERE organization_id = %(organization)s", parameters
            )
            cursor.execute(
                f"INSERT INTO {rollup.table} ({rollup.columns}) {rollup.summed(_EVERY_ROW)}",
                parameters,
            )
            written += cursor.rowcount
    return written


def _added(rollup: Rollup, source: str) -> str:
    keys = ", ".join(rollup.keys)
    updates = [f"{name} = t.{name} + excluded.{name}" for name in rollup.sums]
    updates += [
        f"{name} = {'least' if how == 'min' else 'greatest'}(t.{name}, excluded.{name})"
        for name, (how, _) in rollup.spans.items()
    ]
    return (
        f"INSERT INTO {rollup.table} AS t ({rollup.columns}) {rollup.summed(source)} "
        f"ORDER BY {', '.join(str(n + 1) for n in range(len(rollup.keys)))} "
        f"ON CONFLICT ({keys}) DO UPDATE SET {', '.join(updates)}"
    )


def _same_keys(rollup: Rollup) -> str:
    return " AND ".join(f"t.{name} IS NOT DISTINCT FROM c.{name}" for name in rollup.keys)


def _touched(rollup: Rollup, source: str) -> str:
    keys = ", ".join(f"{value} AS {name}" for name, value in rollup.keys.items())
    return (
        f"(SELECT DISTINCT {keys} FROM {source} AS e {rollup.joined} "
        f"WHERE sign < 0 AND {rollup.only})"
    )


def _emptied(rollup: Rollup, source: str) -> str:
    return (
        f"DELETE FROM {rollup.table} AS t USING {_touched(rollup, source)} AS c "
        f"WHERE t.{rollup.counted} = 0 AND t.organization_id = %(organization)s "
        f"AND {_same_keys(rollup)}"
    )


def _spans_again(rollup: Rollup, source: str) -> str:
    keys = ", ".join(f"e.{name}" for name in rollup.keys)
    spans = ", ".join(f"{how}({value}) AS {name}" for name, (how, value) in rollup.spans.items())
    return (
        f"UPDATE {rollup.table} AS t SET {', '.join(f'{n} = c.{n}' for n in rollup.spans)} FROM "
        f"(SELECT {keys}, {spans} FROM accounting_usageevent AS e "
        f"JOIN (SELECT DISTINCT session_id FROM {source} WHERE sign < 0 AND {rollup.only}) AS s "
        f"USING (session_id) "
        f"WHERE e.organization_id = %(organization)s AND {rollup.only} "
        f"GROUP BY {keys}) AS c WHERE {_same_keys(rollup)}"
    )


def _differing(rollup: Rollup) -> str:
    stored = f"SELECT {rollup.columns} FROM {rollup.table} WHERE organization_id = %(organization)s"
    right = rollup.summed(_EVERY_ROW)
    return (
        f"WITH stored AS ({stored}), right_ones AS ({right}) SELECT count(*) FROM ("
        "(TABLE stored EXCEPT ALL TABLE right_ones) UNION ALL "
        "(TABLE right_ones EXCEPT ALL TABLE stored)) AS differing"
    )
