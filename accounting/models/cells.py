"""Sums of days by everything that days can be cut by, kept like the other sums of the ledger."""

from django.db import models

from accounting.models.cuts import Cuts
from accounting.models.rollups import Sums


class UsageDayCell(Sums, Cuts):
    """Sums of one day of the organization's zone by all dimensions and tags at once.

    cell: a digest of all that a row is told apart by within its day, so that a row is found by few
    bytes.
    """

    day = models.DateField()
    purpose = models.CharField(max_length=10)
    cell = models.BinaryField(max_length=16)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "purpose", "day", "cell"],
                name="usagedaycell_is_summed_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.model} {self.team}"
