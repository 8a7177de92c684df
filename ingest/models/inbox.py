"""The inbox: bytes that were accepted and wait to be read. The table is the queue."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from accounting.models.imports import Import
from accounting.models.scoping import Scoped
from accounting.models.tenants import Organization

CHUNK_STATES = ("receiving", "ready", "done", "quarantined", "discarded")


class InboxChunk(Scoped):
    """A run of whole source records of one import.

    A row lock on it is the lease of the worker that reads it. body: zstd, emptied once read, or without
    its texts until kept_until. reader_state: what the reader carries into this import's next chunk.
    """

    organization = models.ForeignKey(Organization, models.PROTECT, db_index=False)
    source_import = models.ForeignKey(Import, models.CASCADE, related_name="chunks")
    number = models.IntegerField()
    state = models.CharField(
        max_length=12, choices=[(state, state) for state in CHUNK_STATES], default="receiving"
    )
    body = models.BinaryField()
    header = models.BinaryField(default=b"")
    first_line = models.BigIntegerField(default=1)
    offset = models.BigIntegerField(default=0)
    size = models.BigIntegerField()
    attempts = models.SmallIntegerField(default=0)
    reader_state = models.BinaryField(default=b"")
    reason = models.CharField(max_length=400, blank=True, default="")
    kept_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["source_import", "number"], name="inboxchunk_is_kept_once"
            )
        ]
        indexes = [
            models.Index(
                fields=["attempts", "id"], name="inboxchunk_waiting", condition=Q(state="ready")
            ),
            models.Index(
                fields=["organization"],
                name="inboxchunk_not_read_yet",
                include=["source_import", "size"],
                condition=Q(state__in=["receiving", "ready"]),
            ),
            models.Index(
                fields=["state", "id"],
                name="inboxchunk_set_aside",
                condition=Q(state="quarantined"),
            ),
            models.Index(
                fields=["kept_until"],
                name="inboxchunk_kept",
                condition=Q(kept_until__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"chunk {self.number} of import {self.source_import_id}"


class Circuit(models.Model):
    """The one row that says whether the inbox is read: see ingest.services.circuit.

    Of no organization: the readers are the same for all.
    """

    set_aside_in_a_row = models.IntegerField(default=0)
    opened_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"open since {self.opened_at}" if self.opened_at else "closed"
