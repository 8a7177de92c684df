"""Sums of days by everything that days can be cut by, kept like the other sums of the ledger."""

from django.db import models

from accounting.models.rollups import Sums


def _text(length: int = 200) -> "models.CharField[str, str]":
    return models.CharField(max_length=length, blank=True, default="")


class UsageDayCell(Sums):
    """Sums of one day of the organization's zone by all dimensions and tags at once.

    cell: a digest of all that a row is told apart by within its day, so that a row is found by few
    bytes. Columns are named as those of the ledger, and hold the same; api_key_id is 0 for no key.
    """

    day = models.DateField()
    purpose = models.CharField(max_length=10)
    cell = models.BinaryField(max_length=16)
    status = models.CharField(max_length=10)
    project_id = models.BigIntegerField()
    api_key_id = models.BigIntegerField(default=0)
    user_id = _text()
    provider = _text()
    model = _text()
    source = _text(40)
    team = _text()
    agent = _text()
    environment = _text()
    service_tier = _text(40)
    cost_center = _text(80)
    tags = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "purpose", "day", "cell"],
                name="usagedaycell_is_summed_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.model} {self.team}"
