"""What Celery does for the books: each task calls one service and is safe to run twice."""

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from accounting.services import filling_in, projections
from accounting.services.partitions import ensure_months
from accounting.services.repricing_chunks import carry_on, unfinished_runs

#: Partitions are made this far ahead, so that posting seldom has to wait for one.
AHEAD = timedelta(days=40)
#: A task reprices so long and then asks for another, so that none runs into Celery's time limit.
REPRICING_S = FILLING_IN_S = 20.0


@shared_task
def make_partitions() -> None:
    """Make the ledger's partitions for this month and the next."""
    now = timezone.now()
    ensure_months([now, now + AHEAD])


@shared_task
def reprice(run_id: int) -> None:
    """Carry a repricing run on where it stands; a bell for the rest where 20 s were not enough."""
    if carry_on(run_id=run_id, seconds=REPRICING_S).more:
        reprice.delay(run_id)


@shared_task
def fill_in(organization_id: int) -> None:
    """Bring events up to the newest prices where whoever changed these did not get to the end."""
    filled = filling_in.fill_in(organization_id=organization_id, seconds=FILLING_IN_S, waits=False)
    if filled.more:
        fill_in.delay(organization_id)


@shared_task
def sweep_repricings() -> None:
    """Ring again for runs and new prices whose bell was lost or whose worker died.

    One at work is left to its own.
    """
    for run_id in unfinished_runs():
        reprice.delay(run_id)
    for organization_id in filling_in.unfilled_organizations():
        fill_in.delay(organization_id)


@shared_task
def keep_projections() -> None:
    """Store each organization's projections of the day, and measure those whose month has ended."""
    now = timezone.now()
    for organization_id in projections.organizations_with_usage():
        projections.keep_month(organization_id=organization_id, now=now)
