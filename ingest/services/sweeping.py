"""Gives up imports whose sender or reader has died, and lets go of bytes that were kept long enough."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from accounting.models import Import
from ingest.models import InboxChunk
from ingest.services.leases import Lease, lease
from ingest.services.receive import give_up

#: Between its row and its lease a young import is held by nobody.
AGE = timedelta(minutes=1)
BROKEN = Q(state="receiving") | Q(state="reading", door="command")


def let_go_of_kept() -> int:
    """Drop the bytes that were kept after they were read, once their days are over; of how many chunks."""
    over = InboxChunk.objects.filter(kept_until__lt=Now())
    return over.update(body=b"", kept_until=None)


def give_up_broken() -> int:
    """Fail each broken import; how many there were. What a command had counted stays counted."""
    old = Import.objects.filter(BROKEN, received_at__lt=Now() - AGE)
    given_up = 0
    for import_id in list(old.values_list("pk", flat=True)):
        with lease(Lease.IMPORT, import_id) as is_free, transaction.atomic():
            found = Import.objects.select_for_update(no_key=True).filter(BROKEN, pk=import_id)
            if is_free and (source := found.first()):
                reason = "the process that sent or read it ended before it was complete"
                give_up(source, code="interrupted", reason=reason)
                given_up += 1
    return given_up
