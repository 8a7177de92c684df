"""Reports of providers and counters of servers, kept for comparison with what was counted."""

from django.db import models
from django.db.models import F, Q

from accounting.models.imports import Import, Run
from accounting.models.scoping import Scoped
from accounting.models.tenants import Organization


class UsageAggregate(Scoped):
    """What a source says of many requests together; never summed with events.

    A count is NULL while the source does not tell it. fingerprint: source, period and dimensions,
    so that a second import of the same report changes nothing. run: of a benchmark's summary.
    """

    organization = models.ForeignKey(Organization, models.PROTECT, db_index=False)
    source_import = models.ForeignKey(Import, models.CASCADE, related_name="aggregates")
    run = models.ForeignKey(Run, models.PROTECT, null=True)
    source = models.CharField(max_length=40)
    purpose = models.CharField(max_length=10, default="usage")
    period_start = models.DateTimeField()
    period_end = models.DateTimeField()
    provider = models.CharField(max_length=200, blank=True, default="")
    model = models.CharField(max_length=200, blank=True, default="")
    dimensions = models.JSONField(default=dict)
    notes = models.JSONField(default=dict)
    requests = models.BigIntegerField(null=True)
    input_tokens = models.BigIntegerField(null=True)
    uncached_input_tokens = models.BigIntegerField(null=True)
    cache_read_input_tokens = models.BigIntegerField(null=True)
    cache_write_input_tokens = models.BigIntegerField(null=True)
    output_tokens = models.BigIntegerField(null=True)
    reasoning_output_tokens = models.BigIntegerField(null=True)
    web_search_requests = models.BigIntegerField(null=True)
    reported_cost = models.DecimalField(null=True)
    reported_currency = models.CharField(max_length=3, blank=True, default="")
    credits = models.DecimalField(null=True)
    fingerprint = models.BinaryField(max_length=16)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "fingerprint"], name="usageaggregate_is_kept_once"
            ),
            models.CheckConstraint(
                condition=Q(period_end__gte=F("period_start")),
                name="usageaggregate_ends_after_its_start",
            ),
        ]
        indexes = [
            models.Index(fields=["organization", "period_start"], name="usageaggregate_by_period")
        ]

    def __str__(self) -> str:
        return f"{self.source} from {self.period_start:%Y-%m-%d}"
