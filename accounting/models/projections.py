"""Projections as they were made, to be measured against what came."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from accounting.models.scoping import Scoped
from accounting.models.tenants import Organization


class StoredProjection(Scoped):
    """What was expected of a period on one of its days: the first telling of the day stands.

    metric: cost or credits; currency: of credits their kind. conditions: the filter's, as
    [name, relation, values], and scope their digest. spent, low, expected, high, deviation, scale: as in
    accounting.domain.forecast. actual: what the period came to, NULL until it has ended; looked at
    again while late records may still arrive.
    """

    organization = models.ForeignKey(Organization, models.PROTECT, db_index=False)
    scope = models.CharField(max_length=32)
    conditions = models.JSONField(default=list)
    purpose = models.CharField(max_length=10, default="usage")
    time_zone = models.CharField(max_length=64)
    metric = models.CharField(max_length=10)
    currency = models.CharField(max_length=40)
    period_start = models.DateField()
    period_end = models.DateField()
    as_of = models.DateField()
    made_at = models.DateTimeField(db_default=Now())
    method = models.CharField(max_length=20)
    reason = models.CharField(max_length=40, blank=True, default="")
    history_days = models.IntegerField()
    spent = models.DecimalField()
    low = models.DecimalField(null=True)
    expected = models.DecimalField(null=True)
    high = models.DecimalField(null=True)
    deviation = models.DecimalField(null=True)
    scale = models.FloatField(null=True)
    actual = models.DecimalField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "organization",
                    "scope",
                    "metric",
                    "currency",
                    "period_start",
                    "period_end",
                    "as_of",
                ],
                name="storedprojection_is_told_once_a_day",
            ),
            models.CheckConstraint(
                condition=Q(period_end__gt=F("as_of"), as_of__gte=F("period_start")),
                name="storedprojection_is_made_inside_its_period",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.as_of}: {self.expected} {self.currency} by {self.period_end}"
