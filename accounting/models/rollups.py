"""Sums of the ledger, kept in the same transaction as the events they sum.

Beside each token kind stands the number of parts that reported it (known_…): where that is 0 the
kind is unknown, not zero. Which columns are summed, and how, is said once in
accounting.services.rollup_sums.
"""

from typing import Any

from django.db import models

from accounting.models.scoping import Scoped
from accounting.models.tenants import Organization

#: Token kinds that rollups sum; each has a known_ column beside it.
SUMMED_COUNTS = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "cache_write_1h_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
    "web_search_requests",
)
SUMMED_AMOUNTS = (
    "cost",
    "cost_input",
    "cost_cache_read",
    "cost_cache_write",
    "cost_output",
    "cost_other",
    "cost_base",
    "credits",
)


def _sum() -> "models.BigIntegerField[int, int]":
    return models.BigIntegerField(default=0, db_default=0)


def _amount() -> "models.DecimalField[Any, Any]":
    return models.DecimalField(default=0, db_default=0)


class Sums(Scoped):
    """What every rollup adds up.

    requests: part 0 that neither failed nor is still running; errors: part 0 that failed.
    unpriced_requests, unpriced_tokens: what a cost leaves out
    (partial ones among them). assumed_requests: priced at standard for want of the tier.
    cache_known_input_tokens, cache_known_read_tokens: input and cache reads of parts that report both
    and were not answered out of a gateway's cache: the two sides of a hit rate.
    cost_base_unknown, credits_unknown: priced parts without a conversion rate.
    corrections: what of cost was booked here for events of closed months.
    """

    organization = models.ForeignKey(Organization, models.PROTECT, db_index=False)
    currency = models.CharField(max_length=12, blank=True, default="")
    parts = _sum()
    requests = _sum()
    errors = _sum()
    input_tokens = _sum()
    cache_read_input_tokens = _sum()
    cache_write_input_tokens = _sum()
    cache_write_1h_input_tokens = _sum()
    output_tokens = _sum()
    reasoning_output_tokens = _sum()
    web_search_requests = _sum()
    known_input_tokens = _sum()
    known_cache_read_input_tokens = _sum()
    known_cache_write_input_tokens = _sum()
    known_cache_write_1h_input_tokens = _sum()
    known_output_tokens = _sum()
    known_reasoning_output_tokens = _sum()
    known_web_search_requests = _sum()
    cache_known_input_tokens = _sum()
    cache_known_read_tokens = _sum()
    unpriced_requests = _sum()
    unpriced_tokens = _sum()
    assumed_requests = _sum()
    cost = _amount()
    cost_input = _amount()
    cost_cache_read = _amount()
    cost_cache_write = _amount()
    cost_output = _amount()
    cost_other = _amount()
    cost_base = _amount()
    credits = _amount()
    corrections = _amount()
    cost_base_unknown = _sum()
    credits_unknown = _sum()

    class Meta:
        abstract = True


class UsageHour(Sums):
    """Sums of one hour of the organization's zone."""

    hour = models.DateTimeField()
    purpose = models.CharField(max_length=10)
    status = models.CharField(max_length=10)
    project_id = models.BigIntegerField()
    api_key_id = models.BigIntegerField(null=True)
    user_id = models.CharField(max_length=200, blank=True, default="")
    provider = models.CharField(max_length=200, blank=True, default="")
    model = models.CharField(max_length=200, blank=True, default="")
    source = models.CharField(max_length=40, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "organization",
                    "hour",
                    "purpose",
                    "status",
                    "project_id",
                    "api_key_id",
                    "user_id",
                    "provider",
                    "model",
                    "source",
                    "currency",
                ],
                name="usagehour_is_summed_once",
                nulls_distinct=False,
            )
        ]

    def __str__(self) -> str:
        return f"{self.hour} {self.model}"


class UsageDay(Sums):
    """Sums of one day of the organization's zone, without keys and users, who are many."""

    day = models.DateField()
    purpose = models.CharField(max_length=10)
    status = models.CharField(max_length=10)
    project_id = models.BigIntegerField()
    provider = models.CharField(max_length=200, blank=True, default="")
    model = models.CharField(max_length=200, blank=True, default="")
    source = models.CharField(max_length=40, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "organization",
                    "day",
                    "purpose",
                    "status",
                    "project_id",
                    "provider",
                    "model",
                    "source",
                    "currency",
                ],
                name="usageday_is_summed_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.model}"


class UsageDayAttribute(Sums):
    """Sums of one local day by one attribute's value; 'none' where an event has no value.

    attribute: team, agent, environment, service_tier, cost_center, or tag:<key>.
    """

    day = models.DateField()
    purpose = models.CharField(max_length=10)
    status = models.CharField(max_length=10)
    attribute = models.CharField(max_length=210)
    value = models.CharField(max_length=200)
    provider = models.CharField(max_length=200, blank=True, default="")
    model = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "organization",
                    "day",
                    "purpose",
                    "status",
                    "attribute",
                    "value",
                    "provider",
                    "model",
                    "currency",
                ],
                name="usagedayattribute_is_summed_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.attribute}={self.value}"


class SessionTotal(Sums):
    """Sums of one session in one currency, from its first to its last request in that currency."""

    session_id = models.CharField(max_length=200)
    purpose = models.CharField(max_length=10)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "session_id", "purpose", "currency"],
                name="sessiontotal_is_summed_once",
            )
        ]

    def __str__(self) -> str:
        return self.session_id
