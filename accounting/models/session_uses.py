"""Whole sessions, and what they used by everything that rows are cut by: kept like the ledger's sums."""

from typing import Any

from django.db import models

from accounting.models.cuts import Cuts
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


class SessionUse(Scoped, Cuts):
    """How many rows of the ledger a session has by all that they can be cut by at once.

    What picks sessions in which such a request occurs, without reading requests. cuts: a digest of all
    that a row is told apart by within its session, so that a row is found by few bytes.
    """

    organization = models.ForeignKey(Organization, models.PROTECT, db_index=False)
    session_id = models.CharField(max_length=200)
    purpose = models.CharField(max_length=10)
    cuts = models.BinaryField(max_length=16)
    parts = _sum()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "session_id", "purpose", "cuts"],
                name="sessionuse_is_counted_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.session_id} {self.model}"
