"""Applying attribution rules to the past: usage that named no project moves to where it now belongs.

Chunk by chunk, each one transaction with its rollups, in the order of posting: the shards (shared: no
key comes or goes), the events in key order, the rollups last. Applying twice changes nothing more,
so whoever was stopped starts again. Closed months keep their projects.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from django.db import connection, transaction

from accounting.domain.attribution import REATTRIBUTABLE
from accounting.domain.money import from_picos
from accounting.domain.periods import FIRST_YEAR, LAST_YEAR, month_of
from accounting.models import Organization
from accounting.models.addends import CORRECTION
from accounting.services import ledger
from accounting.services.closed_months import ClosedCalendar, closed_calendar
from accounting.services.columns import NAMES, Booked
from accounting.services.former_attribution import move_former
from accounting.services.locks import SHARDS, lock_shards
from accounting.services.moved_events import TELLING, Movers
from accounting.services.rollups import add_differences

#: Events of a chunk: what moves of them cannot be posted to for a second or two.
CHUNK = 4_000
EARLIEST, LATEST = datetime(FIRST_YEAR, 1, 1, tzinfo=UTC), datetime(LAST_YEAR + 1, 1, 1, tzinfo=UTC)

# Uses index: usageevent_organization_time. Corrections of closed months follow what they correct.
NEXT = f"""
    SELECT e.occurred_at, e.dedupe_key, e.month, {", ".join(f"e.{name}" for name in TELLING)}
    FROM accounting_usageevent AS e
    WHERE e.organization_id = %(organization)s
      AND (e.occurred_at, e.dedupe_key) > (%(at)s, %(key)s)
      AND e.occurred_at < %(end)s
      AND e.month BETWEEN %(first)s AND %(last)s
      AND e.project_basis = ANY(%(bases)s)
      AND NOT (e.operation = '{CORRECTION}' AND e.span_id LIKE 'repricing %%')
    ORDER BY e.occurred_at, e.dedupe_key
    LIMIT %(limit)s
"""
# Uses the primary key.
READ = f"""
    SELECT {", ".join(f"e.{name}" for name in NAMES)}
    FROM unnest(%(keys)s::bytea[], %(months)s::date[]) AS c (dedupe_key, month)
    JOIN accounting_usageevent AS e
      ON e.organization_id = %(organization)s
     AND e.dedupe_key = c.dedupe_key
     AND e.month = c.month
    ORDER BY e.dedupe_key, e.month
"""


@dataclass(slots=True, kw_only=True)
class Moved:
    """What moves from one project to another. basis: what settles it, of domain.attribution.BASES."""

    from_project: str
    to_project: str
    basis: str
    events: int = 0
    requests: int = 0
    cost: dict[str, Decimal] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Reattribution:
    """What applying the rules changed, or would change.

    looked_at: events that named no project. in_closed_months: those that would move but stay.
    """

    looked_at: int = 0
    in_closed_months: int = 0
    moves: dict[tuple[str, str, str], Moved] = field(default_factory=dict)

    @property
    def events(self) -> int:
        """How many events move."""
        return sum(moved.events for moved in self.moves.values())


def reattribute(
    *,
    organization_id: int,
    is_dry: bool,
    start: datetime = EARLIEST,
    end: datetime = LATEST,
    chunk: int = CHUNK,
    progress: Callable[[int], None] = lambda _: None,
) -> Reattribution:
    """Move usage of a half-open span to the projects that the rules give it now.

    Only what named no project moves. A cost changes only where a project has prices of its own; it
    is rated by the prices it was rated by. What was read by older rules and is posted meanwhile is
    found by applying again. progress: called with the number of further events looked at.
    """
    found = Reattribution()
    movers = Movers(organization_id)
    for rows in _chunks(organization_id, start, end, chunk):
        found.looked_at += len(rows)
        wanted = [
            (values["dedupe_key"], values["month"]) for values in rows if movers.belongs(values)
        ]
        if wanted:
            with transaction.atomic():
                _move(organization_id, wanted, movers, found, is_dry=is_dry)
        progress(len(rows))
    if not is_dry:
        move_former(organization_id, movers, start=start, end=end, chunk=chunk)
    return found


def _chunks(
    organization_id: int, start: datetime, end: datetime, limit: int
) -> Iterator[list[dict[str, Any]]]:
    at, key = start, b""
    while True:
        wanted: dict[str, Any] = {
            "organization": organization_id,
            "at": at,
            "key": key,
            "end": end,
            "first": month_of(at.astimezone(UTC)),
            "last": month_of(end.astimezone(UTC)),
            "bases": list(REATTRIBUTABLE),
            "limit": limit,
        }
        with connection.cursor() as cursor:
            cursor.execute(NEXT, wanted)
            rows = cursor.fetchall()
        if not rows:
            return
        at, key = rows[-1][0], bytes(rows[-1][1])
        yield [
            {
                "dedupe_key": bytes(row[1]),
                "month": row[2],
                **dict(zip(TELLING, row[3:], strict=True)),
            }
            for row in rows
        ]


def _move(
    organization_id: int,
    keys: Sequence[tuple[bytes, date]],
    movers: Movers,
    found: Reattribution,
    *,
    is_dry: bool,
) -> None:
    """Move these events, decided again once they are locked, and their rollups with them."""
    if not is_dry:
        lock_shards(organization_id, dict.fromkeys(range(SHARDS), False))
    organization = Organization.objects.get(pk=organization_id)
    calendar = closed_calendar(organization)
    rows = _read(organization_id, keys, is_locked=not is_dry)
    booked = list(_decided(rows, movers, calendar, found))
    if booked and not is_dry:
        ledger.stage(())
        ledger.rewrite(booked)
        add_differences(
            organization_id, organization.time_zone, source="posting_change", with_losses=True
        )


def _read(
    organization_id: int, keys: Sequence[tuple[bytes, date]], *, is_locked: bool
) -> list[dict[str, Any]]:
    wanted: dict[str, Any] = {
        "organization": organization_id,
        "keys": [key for key, _ in keys],
        "months": [month for _, month in keys],
    }
    with connection.cursor() as cursor:
        cursor.execute(f"{READ} FOR UPDATE OF e" if is_locked else READ, wanted)
        return [ledger.named(row) for row in cursor.fetchall()]


def _decided(
    rows: Sequence[Mapping[str, Any]],
    movers: Movers,
    calendar: ClosedCalendar,
    found: Reattribution,
) -> Iterator[Booked]:
    for values in rows:
        booked = movers.moved(values)
        if booked is None:
            continue
        if calendar.correction_at(values["occurred_at"]) is not None:
            found.in_closed_months += 1
            continue
        _count(found, values, booked, movers.slugs)
        yield booked


def _count(
    found: Reattribution, values: Mapping[str, Any], booked: Booked, slugs: Mapping[int, str]
) -> None:
    place, charge = booked.record.place, booked.charge
    ends = (slugs[values["project_id"]], slugs[place.project_id or 0], place.project_basis)
    moved = found.moves.setdefault(
        ends, Moved(from_project=ends[0], to_project=ends[1], basis=ends[2])
    )
    moved.events += 1
    moved.requests += booked.record.is_request
    if charge.cost is not None and charge.currency:
        before = moved.cost.get(charge.currency, Decimal(0))
        moved.cost[charge.currency] = before + from_picos(charge.cost)
