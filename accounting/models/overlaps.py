"""What undoing an import stands on: the rows it replaced, and which imports met its events.

References are plain ids, as in the ledger: posting writes these rows and must wait for no other's.
"""

from django.db import models
from django.db.models import F, Q

from accounting.models.scoping import Scoped
from accounting.models.tenants import Organization


class EventRevision(Scoped):
    """The whole ledger row that stood before an import's telling replaced it.

    Kept only where another import had written the row. Of one event the ids are in the order of its
    tellings, because they are taken under its lock. month: where the event stands now.
    price_version: that of the row that came in its place. former: the row by column name.
    """

    organization = models.ForeignKey(Organization, models.PROTECT, db_index=False)
    import_id = models.BigIntegerField()
    dedupe_key = models.BinaryField(max_length=16)
    month = models.DateField()
    price_version = models.BigIntegerField()
    former = models.JSONField()

    class Meta:
        indexes = [
            models.Index(
                fields=["organization", "dedupe_key", "month"], name="eventrevision_of_an_event"
            ),
            models.Index(fields=["organization", "import_id"], name="eventrevision_of_an_import"),
        ]

    def __str__(self) -> str:
        return f"revision {self.pk} by import {self.import_id}"


class AggregateRevision(Scoped):
    """The whole row of a report that stood before an import's figures replaced it."""

    organization = models.ForeignKey(Organization, models.PROTECT, db_index=False)
    import_id = models.BigIntegerField()
    fingerprint = models.BinaryField(max_length=16)
    former = models.JSONField()

    class Meta:
        indexes = [
            models.Index(
                fields=["organization", "import_id"], name="aggregaterevision_of_an_import"
            ),
        ]

    def __str__(self) -> str:
        return f"revision {self.pk} by import {self.import_id}"


class ImportOverlap(Scoped):
    """A later import told something that an earlier one had written last.

    Duplicates count: once the earlier import is undone, the later one's telling would be lost.
    """

    organization = models.ForeignKey(Organization, models.PROTECT, db_index=False)
    earlier_import_id = models.BigIntegerField()
    later_import_id = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "earlier_import_id", "later_import_id"],
                name="importoverlap_is_noted_once",
            ),
            models.CheckConstraint(
                condition=~Q(earlier_import_id=F("later_import_id")),
                name="importoverlap_is_of_two_imports",
            ),
        ]
        indexes = [
            models.Index(
                fields=["organization", "later_import_id"], name="importoverlap_of_the_later"
            ),
        ]

    def __str__(self) -> str:
        return f"import {self.later_import_id} met import {self.earlier_import_id}"
