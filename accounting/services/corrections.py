"""Differences of closed months as ledger rows of the open one.

A correction is no request: its part is above 0 and it has no counts, so everything that sums the
ledger takes its amounts and counts nothing. Its identity names the event (trace_id, the key in hex)
and the run and the event's month (span_id), so that it stands once and says what it corrects.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from django.db import connection

from accounting.domain.naming import dedupe_key
from accounting.domain.usage import Identity, UsageRecord, Use
from accounting.models.addends import CORRECTION
from accounting.models.rollups import SUMMED_AMOUNTS
from accounting.services.charged_events import CHARGE_COLUMNS, ChargedEvent, read_whole
from accounting.services.closed_months import STANDING
from accounting.services.columns import Booked, Charge, record_of
from accounting.services.revisions import Revision

#: What a correction keeps of the use it corrects: enough to be found under the same groups.
_KEPT = (
    "source",
    "provider",
    "request_model",
    "response_model",
    "service_tier",
    "processing",
    "speed",
    "region",
    "route",
    "purpose",
)
_COLUMNS = ", ".join(
    f"(r.new_{name} * 1e12)::bigint" if kind == "money" else f"r.new_{name}"
    for name, kind in CHARGE_COLUMNS.items()
)
# Uses the unique index of revisions, by key.
STANDING_CHARGES = f"""
    SELECT DISTINCT ON (r.dedupe_key, r.month) r.dedupe_key, r.month, {_COLUMNS}
    FROM accounting_costrevision AS r
    JOIN accounting_repricerun AS run ON run.id = r.run_id
    WHERE r.organization_id = %(organization)s
      AND r.dedupe_key = ANY(%(keys)s)
      AND r.correction_at IS NOT NULL
      AND run.state = ANY(%(states)s)
    ORDER BY r.dedupe_key, r.month, r.id DESC
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """One amount to be booked: part 1, and part 2 where another currency takes over."""

    part: int
    charge: Charge


def corrections(old: Charge, new: Charge) -> tuple[Correction, ...]:
    """What must be booked so that a standing charge comes to a new one, whose cost is known."""
    if old.cost is None or old.currency == new.currency:
        found = [_difference(old, new)]
    else:
        found = [_difference(old, _nothing(old))]
        found.append(_difference(_nothing(new), new))
    return tuple(
        Correction(part=part, charge=charge)
        for part, charge in enumerate(found, start=1)
        if any(getattr(charge, name) for name in SUMMED_AMOUNTS)
    )


def standing_charges(
    organization_id: int, events: Iterable[ChargedEvent]
) -> dict[tuple[bytes, date], Charge]:
    """What events of closed months come to with the corrections that stand for them.

    By key and month: a source may use an id again months later.
    """
    keys = [event.key for event in events]
    if not keys:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            STANDING_CHARGES,
            {"organization": organization_id, "keys": keys, "states": list(STANDING)},
        )
        rows = cursor.fetchall()
    return {(bytes(key), month): Charge(*values) for key, month, *values in rows}


def booked_corrections(
    organization_id: int, run_id: int, revisions: Iterable[Revision]
) -> list[Booked]:
    """The ledger rows for revisions of closed months, in key order."""
    by_event = {(revision.event.key, revision.event.month): revision for revision in revisions}
    booked = []
    for values in read_whole(organization_id, list(by_event)):
        revision = by_event[values["dedupe_key"], values["month"]]
        for correction in corrections(revision.old, revision.new):
            record = _record(values, revision, run_id, correction.part)
            booked.append(
                Booked(
                    organization_id=organization_id,
                    key=dedupe_key(organization_id, record.identity),
                    record=record,
                    charge=correction.charge,
                    wide=False,
                )
            )
    return sorted(booked, key=lambda row: row.key)


def correction_keys(
    organization_id: int, run_id: int, event_key: bytes, month: date
) -> tuple[bytes, ...]:
    """The keys under which a run may have booked corrections of an event."""
    return tuple(
        dedupe_key(organization_id, correction_identity(run_id, event_key, month, part))
        for part in (1, 2)
    )


def correction_identity(run_id: int, event_key: bytes, month: date, part: int) -> Identity:
    """What makes a correction the same as another: the event, the run, the part."""
    return Identity(
        trace_id=event_key.hex(), span_id=f"repricing {run_id} of {month:%Y-%m}", part=part
    )


def _record(values: dict[str, Any], revision: Revision, run_id: int, part: int) -> UsageRecord:
    original = record_of(values)
    moment: datetime = revision.correction_at or original.place.started_at
    return UsageRecord(
        identity=correction_identity(run_id, revision.event.key, revision.event.month, part),
        use=Use(
            **{name: getattr(original.use, name) for name in _KEPT},
            operation=CORRECTION,
            usage_state="missing",
        ),
        place=replace(original.place, started_at=moment, session_id="", turn_id=""),
    )


def _difference(old: Charge, new: Charge) -> Charge:
    amounts: dict[str, Any] = {
        name: _less(getattr(new, name), getattr(old, name)) for name in SUMMED_AMOUNTS
    }
    for name in ("cost_base", "credits"):
        if getattr(new, name) is None:
            amounts[name] = None  # unknown, and counted as such
    return new._replace(state="priced", unpriced_tokens=0, filled_in="", **amounts)


def _nothing(charge: Charge) -> Charge:
    amounts: dict[str, Any] = {
        name: None if getattr(charge, name) is None else 0 for name in SUMMED_AMOUNTS
    }
    return charge._replace(**amounts)


def _less(new: int | None, old: int | None) -> int | None:
    if new is None and old is None:
        return None
    return (new or 0) - (old or 0)
