"""Sums of days by who called, kept like the other sums of the ledger."""

from django.db import models

from accounting.models.rollups import Sums


class UsageDayCaller(Sums):
    """Sums of one day of the organization's zone by user, once more by key, and once more by project.

    caller: 'user', 'key' or 'project', whose rows each hold all usage once. user_id is '' and api_key_id
    0 for usage without one; what belongs to the other callers is '' and 0 in each row.
    """

    caller = models.CharField(max_length=7)
    purpose = models.CharField(max_length=10)
    day = models.DateField()
    status = models.CharField(max_length=10)
    user_id = models.CharField(max_length=200, blank=True, default="")
    api_key_id = models.BigIntegerField(default=0)
    project_id = models.BigIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "organization",
                    "caller",
                    "purpose",
                    "day",
                    "status",
                    "user_id",
                    "api_key_id",
                    "project_id",
                    "currency",
                ],
                name="usagedaycaller_is_summed_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.user_id or self.api_key_id or self.project_id}"
