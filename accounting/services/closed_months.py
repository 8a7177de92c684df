"""Months that are closed: no charge in them changes, differences are booked into the open month."""

from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils import timezone

from accounting.domain.errors import DomainError
from accounting.domain.periods import day_of, day_start, next_month
from accounting.models import ClosedMonth, CostRevision, Organization, RepriceRun
from accounting.services.locks import lock_books
from accounting.services.partitions import ensure_months

#: Runs whose corrections stand.
STANDING = ("applying", "applied")
CHANGING = ("applying", "undoing")


class MonthClosedError(DomainError):
    """Something would change a closed month, or what is closed cannot be."""

    code = "month_closed"


class MonthOpenError(DomainError):
    """A month cannot be closed yet."""

    code = "month_open"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedCalendar:
    """Which local months of an organization are closed, named by their first days."""

    zone: ZoneInfo
    months: frozenset[date]

    def month(self, moment: datetime) -> date:
        """The first day of the local month a moment lies in."""
        return day_of(moment, self.zone).replace(day=1)

    def correction_at(self, moment: datetime) -> datetime | None:
        """Where a difference at that moment is booked: None where its own month is open.

        Else the first instant of the first open month after it, whatever the day it is found on, so
        that a dry run and its application agree.
        """
        if not self.months:
            return None
        month = self.month(moment)
        if month not in self.months:
            return None
        return self.booking_of(month)

    def span(self, month: date) -> tuple[datetime, datetime]:
        """The first instant of a local month and that of the next one."""
        return day_start(month, self.zone), day_start(next_month(month), self.zone)

    def booking_of(self, month: date) -> datetime:
        """The first instant of the first open month after a closed one."""
        while month in self.months:
            month = next_month(month)
        return day_start(month, self.zone)


def closed_calendar(organization: Organization) -> ClosedCalendar:
    """The organization's closed months. Only what holds shard locks may rely on it. One query."""
    return ClosedCalendar(
        zone=ZoneInfo(organization.time_zone),
        months=frozenset(ClosedMonth.objects.of(organization.pk).values_list("month", flat=True)),
    )


def close_month(
    *, organization_id: int, month: date, user_id: int | None = None, now: datetime | None = None
) -> ClosedMonth:
    """Close a local month that is over; closing it again changes nothing.

    Raises MonthOpenError before its end, and while a repricing is changing the books.
    """
    organization = Organization.objects.get(pk=organization_id)
    month = month.replace(day=1)
    zone = ZoneInfo(organization.time_zone)
    ends_at = day_start(next_month(month), zone)
    if ends_at > (now or timezone.now()):
        raise MonthOpenError(f"{month:%Y-%m} is not over: it ends at {ends_at.isoformat()}")
    closed = closed_calendar(organization).months | {month}
    ensure_months([ClosedCalendar(zone=zone, months=closed).booking_of(month)])
    with transaction.atomic():
        lock_books(organization_id)
        _refuse_while_changing(organization_id)
        row, _ = ClosedMonth.objects.get_or_create(
            organization_id=organization_id, month=month, defaults={"closed_by_id": user_id}
        )
        return row


def open_month(*, organization_id: int, month: date) -> bool:
    """Open a closed month again; whether it was closed.

    Raises MonthClosedError while corrections of it stand elsewhere: the run that booked them must be
    undone first, or the difference would be booked twice.
    """
    month = month.replace(day=1)
    with transaction.atomic():
        lock_books(organization_id)
        _refuse_while_changing(organization_id)
        calendar = closed_calendar(Organization.objects.get(pk=organization_id))
        start, end = calendar.span(month)
        standing = (
            CostRevision.objects.of(organization_id)
            .filter(
                correction_at__isnull=False,
                occurred_at__gte=start,
                occurred_at__lt=end,
                run__state__in=STANDING,
            )
            .order_by("-run_id")
            .first()
        )
        if standing is not None:
            raise MonthClosedError(
                f"{month:%Y-%m} has corrections of repricing {standing.run_id}: undo it first"
            )
        gone, _ = ClosedMonth.objects.of(organization_id).filter(month=month).delete()
        return gone > 0


def refuse_closed(organization_id: int) -> None:
    """Raise MonthClosedError where any month is closed. The caller holds the locks."""
    newest = ClosedMonth.objects.of(organization_id).order_by("-month").first()
    if newest is not None:
        raise MonthClosedError(
            f"{newest.month:%Y-%m} is closed: another time zone would move its days"
        )


def _refuse_while_changing(organization_id: int) -> None:
    run = RepriceRun.objects.of(organization_id).filter(state__in=CHANGING).first()
    if run is not None:
        raise MonthOpenError(f"repricing {run.pk} is {run.state}: wait until it is done")
