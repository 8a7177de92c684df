"""Charges as they are beside charges as another price version has them, and why they differ."""

from collections.abc import Sequence
from datetime import UTC, datetime

from accounting.domain.differences import DifferenceKey, Differences
from accounting.domain.ratebook import RateBook
from accounting.models.ledger import UNPRICED_STATES
from accounting.services.charged_events import ChargedEvent
from accounting.services.charges import charge_of_event
from accounting.services.closed_months import ClosedCalendar
from accounting.services.columns import Charge
from accounting.services.corrections import corrections, standing_charges
from accounting.services.revisions import Revision

_ASSUMED = "assumed"
#: Behind the columns of a charge that say what something costs.
_FIRST_MARK = Charge._fields.index("price_version")


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
    month_of, booking_of = _Months(calendar), _Months(calendar)
    bookings = [calendar.correction_at(event.at) for event in events]
    in_closed = [event for event, at in zip(events, bookings, strict=True) if at is not None]
    standing = standing_charges(organization_id, in_closed)
    revisions = []
    for event, correction_at in zip(events, bookings, strict=True):
        old = standing.get((event.key, event.month), event.charge)
        new = charge_of_event(event, rates)
        if new.state in UNPRICED_STATES:
            month, provider = month_of(event.at), event.use.provider
            found.add_unpriced(month, provider, new.model, new.unpriced_tokens)
        if not is_changed(old, new) or (correction_at and not _is_bookable(old, new, found)):
            continue
        revision = Revision(event, cause(old, new), correction_at, old, new)
        booked_in = booking_of(correction_at) if correction_at else ""
        _count(revision, month_of(event.at), booked_in, found)
        revisions.append(revision)
    found.events += len(events)
    return revisions


def is_changed(old: Charge, new: Charge) -> bool:
    """Whether a charge differs in anything but the version it was priced with and what follows it."""
    return old[:_FIRST_MARK] != new[:_FIRST_MARK]


def cause(old: Charge, new: Charge) -> str:
    """Why two charges of one event differ: the first reason that fits, of models.repricing.CAUSES."""
    priced_less = new.unpriced_tokens - old.unpriced_tokens
    if (old.cost is None and new.cost is not None) or priced_less < 0:
        found = "newly_priced"
    elif (new.cost is None and old.cost is not None) or priced_less > 0:
        found = "now_unpriced"
    elif old.model != new.model:
        found = "model_alias"
    elif (old.state == _ASSUMED) != (new.state == _ASSUMED):
        found = "tier"
    elif (old.cost, old.currency) != (new.cost, new.currency):
        found = "rate_changed"
    elif old.cost_base != new.cost_base:
        found = "fx_rate"
    else:
        found = "rate_changed" if old.credits == new.credits else "credit_rate"
    return found


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


def _count(revision: Revision, month: str, booked_in: str, found: Differences) -> None:
    old, new = revision.old, revision.new
    provider = revision.event.use.provider
    found.changed += 1
    # An unknown or free charge has no currency of its own: it stands beside the other's.
    for currency in {old.currency, new.currency} - {""} or {""}:
        key = DifferenceKey(month, provider, new.model, revision.cause, currency, booked_in)
        row = found.row(key)
        row.events += 1
        for side, charge in (("old", old), ("new", new)):
            if charge.currency in {currency, ""}:
                row.add(
                    side,
                    {
                        "cost": charge.cost,
                        "cost_base": charge.cost_base,
                        "credits": charge.credits,
                    },
                )
