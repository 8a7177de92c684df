"""Charges as they are beside charges as another price version has them, and why they differ."""

from collections.abc import Sequence
from datetime import UTC, datetime

from accounting.domain.differences import AMOUNTS, DifferenceKey, Differences
from accounting.domain.ratebook import RateBook
from accounting.models.rollups import SUMMED_AMOUNTS
from accounting.services.charged_events import ChargedEvent
from accounting.services.charges import charge_or_unpriced
from accounting.services.closed_months import ClosedCalendar
from accounting.services.columns import Charge
from accounting.services.corrections import corrections, standing_charges
from accounting.services.revisions import Revision

UNPRICED_STATES = frozenset({"unpriced", "partial"})
_ASSUMED = "assumed"


def revisions_of(
    organization_id: int,
    events: Sequence[ChargedEvent],
    rates: RateBook,
    calendar: ClosedCalendar,
    found: Differences,
) -> list[Revision]:
    """What changes when these events are rated by these rates; found is added to.

    Events of closed months stand as they are: they differ from what they come to with the
    corrections booked for them before. One query where there are such events, else none.
    """
    month_of = _Months(calendar)
    booking = {event.key: calendar.correction_at(event.record.place.started_at) for event in events}
    standing = standing_charges(organization_id, [key for key, at in booking.items() if at])
    revisions = []
    for event in events:
        old = standing.get(event.key, event.charge)
        new = charge_or_unpriced(event.record, rates)
        found.events += 1
        if new.state in UNPRICED_STATES:
            month = month_of(event.record.place.started_at)
            found.add_unpriced(month, event.record.use.provider, new.model, new.unpriced_tokens)
        correction_at = booking[event.key]
        if not is_changed(old, new) or (correction_at and not _is_bookable(old, new, found)):
            continue
        revision = Revision(
            event=event, cause=cause(old, new), correction_at=correction_at, old=old, new=new
        )
        _count(revision, month_of, found)
        revisions.append(revision)
    return revisions


def is_changed(old: Charge, new: Charge) -> bool:
    """Whether a charge differs in anything but the version it was priced with."""
    return (
        old.cost != new.cost
        or old.state != new.state
        or old.model != new.model
        or old.currency != new.currency
        or old.unpriced_tokens != new.unpriced_tokens
        or any(getattr(old, name) != getattr(new, name) for name in SUMMED_AMOUNTS)
    )


def cause(old: Charge, new: Charge) -> str:
    """Why two charges of one event differ: the first reason that fits, of models.repricing.CAUSES."""
    priced_less = new.unpriced_tokens - old.unpriced_tokens
    reasons = {
        "newly_priced": (old.cost is None and new.cost is not None) or priced_less < 0,
        "now_unpriced": (new.cost is None and old.cost is not None) or priced_less > 0,
        "model_alias": old.model != new.model,
        "tier": (old.state == _ASSUMED) != (new.state == _ASSUMED),
        "rate_changed": old.cost != new.cost or old.currency != new.currency,
        "fx_rate": old.cost_base != new.cost_base,
        "credit_rate": old.credits != new.credits,
    }
    return next((reason for reason, holds in reasons.items() if holds), "rate_changed")


def _is_bookable(old: Charge, new: Charge, found: Differences) -> bool:
    """Whether a difference of a closed month can be booked: not where the new cost is unknown."""
    if new.cost is None:
        found.left += old.cost is not None
        return False
    return bool(corrections(old, new))


class _Months:
    """The local month of a moment as 2026-11; events come in the order of time, so one is kept."""

    def __init__(self, calendar: ClosedCalendar) -> None:
        self._calendar = calendar
        self._start = self._end = datetime.min.replace(tzinfo=UTC)
        self._text = ""

    def __call__(self, moment: datetime) -> str:
        if not self._start <= moment < self._end:
            month = self._calendar.month(moment)
            self._start, self._end = self._calendar.span(month)
            self._text = f"{month:%Y-%m}"
        return self._text


def _count(revision: Revision, month_of: _Months, found: Differences) -> None:
    old, new = revision.old, revision.new
    found.changed += 1
    sides: list[tuple[str, Charge]] = [("old", old), ("new", new)]
    # An unknown or free charge has no currency of its own: it stands beside the other's.
    for currency in dict.fromkeys(c.currency for _, c in sides if c.currency) or [""]:
        key = DifferenceKey(
            month=month_of(revision.event.record.place.started_at),
            provider=revision.event.record.use.provider,
            model=new.model,
            cause=revision.cause,
            currency=currency,
            booked_in=month_of(revision.correction_at) if revision.correction_at else "",
        )
        row = found.row(key)
        row.events += 1
        for side, charge in sides:
            if charge.currency in {currency, ""}:
                row.add(side, {name: getattr(charge, name) for name in AMOUNTS})
