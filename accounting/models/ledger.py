"""The ledger: one row for each priced part of each request, partitioned by UTC month."""

from typing import Any

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from accounting.domain.tokens import COUNT_LIMIT, COUNT_NAMES
from accounting.domain.usage import ERROR_ORIGINS, PURPOSES, STATUSES, USAGE_STATES
from accounting.models.endings import CutByLength
from accounting.models.scoping import Scoped
from accounting.models.tenants import Organization

COST_STATES = ("priced", "partial", "assumed", "unpriced", "free", "not_billable")
#: States of which a later price may say more.
UNPRICED_STATES = ("unpriced", "partial")
#: Which amounts of a charge were unknown when it was posted and filled in later: none, all that
#: depend on prices, or what the cost comes to in the organization's currency, in credits, in both.
FILLED_IN = ("", "cost", "cost_base", "credits", "conversions")


def _text(length: int = 200) -> "models.CharField[str, str]":
    return models.CharField(max_length=length, blank=True, default="")


def _count() -> "models.BigIntegerField[int | None, int | None]":
    return models.BigIntegerField(null=True)


def _money() -> "models.DecimalField[Any, Any]":
    # Without digits the column is plain numeric: nothing is ever rounded by storing it.
    return models.DecimalField(null=True)


def _every_count_in_range() -> Q:
    condition = Q()
    for name in COUNT_NAMES:
        condition &= Q(**{f"{name}__isnull": True}) | Q(**{f"{name}__range": (0, COUNT_LIMIT - 1)})
    return condition


class UsageEvent(Scoped):
    """One priced part of one request, counted once.

    Rows are written by accounting.services.posting alone, in its order and under its locks. Sums are
    in currency; cost_base is the cost in the organization's currency, credits in its credit kind,
    both NULL while unknown. filled_in: what of it follows later prices, because it was not known
    when the request was posted. References are plain ids: rows they name are archived, never deleted.
    """

    pk = models.CompositePrimaryKey("organization_id", "dedupe_key", "month")
    organization = models.ForeignKey(
        Organization, models.DO_NOTHING, db_constraint=False, db_index=False
    )
    dedupe_key = models.BinaryField(max_length=16)
    month = models.DateField()
    occurred_at = models.DateTimeField()
    part = models.SmallIntegerField(default=0)
    purpose = models.CharField(max_length=10, default="usage")
    status = models.CharField(max_length=10, default="ok")

    response_id = _text()
    trace_id = _text()
    span_id = _text()
    gateway_request_id = _text()

    project_id = models.BigIntegerField()
    #: What settled the project: see accounting.domain.attribution; '' where that was not kept.
    project_basis = _text(10)
    cost_center = _text(80)
    api_key_id = models.BigIntegerField(null=True)
    run_id = models.BigIntegerField(null=True)
    session_id = _text()
    turn_id = _text()
    agent = _text()
    is_sidechain = models.BooleanField(default=False)
    user_id = _text()
    team = _text()
    environment = _text()
    api_key_name = _text()
    working_folder = _text(1000)
    tags = models.JSONField(default=dict)
    time_quality = models.CharField(max_length=10, default="exact")

    source = _text(40)
    provider = _text()
    model = _text()
    request_model = _text()
    response_model = _text()
    operation = _text(40)
    service_tier = _text(40)
    processing = _text(40)
    speed = _text(40)
    region = _text(80)
    route = _text(80)

    http_status = models.SmallIntegerField(null=True)
    error_type = _text()
    error_origin = _text(10)
    finish_reason = _text(80)
    is_stream = models.BooleanField(null=True)
    gateway_cache_hit = models.BooleanField(default=False)
    billable = models.BooleanField(default=True)

    input_tokens = _count()
    cache_read_input_tokens = _count()
    cache_write_input_tokens = _count()
    cache_write_5m_input_tokens = _count()
    cache_write_1h_input_tokens = _count()
    tool_use_input_tokens = _count()
    input_audio_tokens = _count()
    cache_read_audio_tokens = _count()
    input_image_tokens = _count()
    output_tokens = _count()
    reasoning_output_tokens = _count()
    output_audio_tokens = _count()
    output_image_tokens = _count()
    output_citation_tokens = _count()
    web_search_requests = _count()
    other_units = models.JSONField(default=dict)
    max_output_tokens = _count()

    duration_ms = models.FloatField(null=True)
    ttft_ms = models.FloatField(null=True)
    tpot_ms = models.FloatField(null=True)
    queue_ms = models.FloatField(null=True)
    prefill_ms = models.FloatField(null=True)

    usage_state = models.CharField(max_length=10)
    source_updated_at = models.DateTimeField(null=True)
    content_digest = models.BinaryField(max_length=16)

    cost_state = models.CharField(max_length=12)
    currency = models.CharField(max_length=12, blank=True, default="")
    cost = _money()
    cost_input = _money()
    cost_cache_read = _money()
    cost_cache_write = _money()
    cost_output = _money()
    cost_other = _money()
    cost_base = _money()
    credits = _money()
    unpriced_tokens = models.BigIntegerField(default=0)
    price_version = models.BigIntegerField()
    filled_in = _text(12)
    reported_cost = _money()
    reported_currency = models.CharField(max_length=12, blank=True, default="")

    import_id = models.BigIntegerField()
    path = _text(1000)
    line = models.BigIntegerField()
    #: Bytes before the record in its file, where the reader knows it.
    byte_offset = models.BigIntegerField(null=True)
    received_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [
            models.Index(
                fields=["organization", "occurred_at", "dedupe_key"],
                name="usageevent_organization_time",
            ),
            models.Index(
                fields=["organization", "session_id", "occurred_at"], name="usageevent_session"
            ),
            models.Index(
                fields=["organization", "trace_id", "occurred_at"],
                name="usageevent_trace",
                condition=~Q(trace_id=""),
            ),
            models.Index(
                fields=["organization", "occurred_at", "dedupe_key"],
                name="usageevent_failed",
                condition=Q(status="error"),
            ),
            models.Index(
                fields=["organization", "occurred_at", "dedupe_key"],
                name="usageevent_cut",
                condition=Q(CutByLength("finish_reason")),
            ),
            models.Index(
                fields=["organization", "occurred_at", "dedupe_key"],
                name="usageevent_follows_prices",
                condition=Q(cost_state__in=UNPRICED_STATES) | ~Q(filled_in=""),
            ),
            models.Index(
                fields=["organization", "run_id"],
                name="usageevent_run",
                condition=Q(run_id__isnull=False),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    month=models.Func(
                        F("occurred_at"),
                        template="(date_trunc('month', %(expressions)s AT TIME ZONE 'UTC'))::date",
                        output_field=models.DateField(),
                    )
                ),
                name="usageevent_lies_in_its_month",
            ),
            models.CheckConstraint(
                condition=Q(purpose__in=PURPOSES)
                & Q(status__in=STATUSES)
                & Q(usage_state__in=USAGE_STATES)
                & Q(cost_state__in=COST_STATES)
                & Q(error_origin__in=["", *ERROR_ORIGINS]),
                name="usageevent_words_are_known",
            ),
            models.CheckConstraint(
                condition=Q(cache_read_input_tokens__isnull=True)
                | Q(input_tokens__isnull=True)
                | Q(cache_write_input_tokens__isnull=True)
                | Q(input_tokens__gte=F("cache_read_input_tokens") + F("cache_write_input_tokens")),
                name="usageevent_cache_is_part_of_input",
            ),
            models.CheckConstraint(
                condition=Q(reasoning_output_tokens__isnull=True)
                | Q(output_tokens__isnull=True)
                | Q(output_tokens__gte=F("reasoning_output_tokens")),
                name="usageevent_reasoning_is_part_of_output",
            ),
            models.CheckConstraint(
                condition=_every_count_in_range(),
                name="usageevent_counts_are_in_range",
            ),
            models.CheckConstraint(
                condition=Q(cost__isnull=True, cost_state="unpriced")
                | Q(cost__isnull=False) & ~Q(cost_state="unpriced"),
                name="usageevent_unpriced_has_no_cost",
            ),
            models.CheckConstraint(
                condition=Q(filled_in__in=FILLED_IN), name="usageevent_filled_in_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model} at {self.occurred_at}"
