"""What Celery does for the books: each task calls one service and is safe to run twice."""

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from accounting.services.partitions import ensure_months
from accounting.services.repricing_chunks import carry_on, unfinished_runs

#: Partitions are made this far ahead, so that posting seldom has to wait for one.
AHEAD = timedelta(days=40)
#: A task reprices so long and then asks for another, so that none runs into Celery's time limit.
REPRICING_S = 20.0


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
def sweep_repricings() -> None:
    """Ring again for runs whose bell was lost or whose worker died; one at work is left to its own."""
    for run_id in unfinished_runs():
        reprice.delay(run_id)
