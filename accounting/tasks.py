"""What Celery does for the books: each task calls one service and is safe to run twice."""

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from accounting.services.partitions import ensure_months

#: Partitions are made this far ahead, so that posting seldom has to wait for one.
AHEAD = timedelta(days=40)


@shared_task
def make_partitions() -> None:
    """Make the ledger's partitions for this month and the next."""
    now = timezone.now()
    ensure_months([now, now + AHEAD])
