"""What sessions used, by everything that hours are cut by: kept like the sums of the ledger."""

from django.db import models

from accounting.models.scoping import Scoped
from accounting.models.tenants import Organization


class SessionUse(Scoped):
    """How many rows of the ledger a session has by everything that hours are cut by.

    What picks sessions in which such a request occurs, without reading requests.
    """

    organization = models.ForeignKey(Organization, models.PROTECT, db_index=False)
    session_id = models.CharField(max_length=200)
    purpose = models.CharField(max_length=10)
    status = models.CharField(max_length=10)
    project_id = models.BigIntegerField()
    api_key_id = models.BigIntegerField(null=True)
    user_id = models.CharField(max_length=200, blank=True, default="")
    provider = models.CharField(max_length=200, blank=True, default="")
    model = models.CharField(max_length=200, blank=True, default="")
    source = models.CharField(max_length=40, blank=True, default="")
    parts: "models.BigIntegerField[int, int]" = models.BigIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "organization",
                    "session_id",
                    "purpose",
                    "status",
                    "project_id",
                    "api_key_id",
                    "user_id",
                    "provider",
                    "model",
                    "source",
                ],
                name="sessionuse_is_counted_once",
                nulls_distinct=False,
            )
        ]

    def __str__(self) -> str:
        return f"{self.session_id} {self.model}"
