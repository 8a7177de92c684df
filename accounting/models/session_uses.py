"""Whole sessions, and what they used by everything that hours are cut by: kept like the ledger's sums."""

from typing import Any

from django.db import models

from accounting.models.scoping import Scoped
from accounting.models.tenants import Organization


def _sum() -> "models.BigIntegerField[int, int]":
    return models.BigIntegerField(default=0, db_default=0)


class SessionWhole(Scoped):
    """One session over all currencies: what sessions are found, ordered and compared by.

    It belongs to the range in which it started. What it cost in each currency is in SessionTotal.
    """

    organization = models.ForeignKey(Organization, models.PROTECT, db_index=False)
    session_id = models.CharField(max_length=200)
    purpose = models.CharField(max_length=10)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    parts = _sum()
    requests = _sum()
    input_tokens = _sum()
    known_input_tokens = _sum()
    cache_read_input_tokens = _sum()
    output_tokens = _sum()
    cost_base: "models.DecimalField[Any, Any]" = models.DecimalField(default=0, db_default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "session_id", "purpose"], name="sessionwhole_is_summed_once"
            )
        ]
        indexes = [
            models.Index(
                fields=["organization", "purpose", "started_at", "session_id"],
                name="sessionwhole_by_start",
            )
        ]

    def __str__(self) -> str:
        return self.session_id


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
    parts = _sum()

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
