"""Repricing: its runs, what each of them changed, what follows prices, and months that are closed."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from accounting.models.scoping import Scoped
from accounting.models.tenants import Organization

RUN_STATES = ("drafting", "drafted", "applying", "applied", "undoing", "undone")
#: States in which a chunk is still to be done.
UNFINISHED_STATES = ("drafting", "applying", "undoing")
#: Why a charge differs, the first that fits: see accounting.services.differences.
CAUSES = (
    "newly_priced",
    "now_unpriced",
    "model_alias",
    "tier",
    "rate_changed",
    "fx_rate",
    "credit_rate",
)


def _money() -> "models.DecimalField[Any, Any]":
    return models.DecimalField(null=True)


def _text(length: int) -> "models.CharField[str, str]":
    return models.CharField(max_length=length, blank=True, default="")


class RepriceRun(Scoped):
    """One repricing of a span by one price version: drafted, applied, undone, each in chunks.

    starts_at, ends_at: half-open. choices: the conditions of the filter, as accounting.queries.filters
    has them. cursor_at, cursor_key, cursor_id: behind what is done of the present state; done counts
    it, of about total. draft and outcome: what the dry run found and what applying did, in the
    layout of accounting.domain.differences; the same to the digit while nobody posts between them.
    """

    organization = models.ForeignKey(Organization, models.PROTECT)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    purpose = models.CharField(max_length=10, default="usage")
    choices = models.JSONField(default=list)
    price_version = models.BigIntegerField()
    state = models.CharField(
        max_length=10, choices=[(state, state) for state in RUN_STATES], default="drafting"
    )
    cursor_at = models.DateTimeField(null=True)
    cursor_key = models.BinaryField(max_length=16, default=b"")
    cursor_id = models.BigIntegerField(default=0)
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(default=0)
    #: Events that undoing left alone because something else has changed them since.
    kept = models.BigIntegerField(default=0)
    draft = models.JSONField(default=dict)
    outcome = models.JSONField(default=dict)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now())
    applied_at = models.DateTimeField(null=True)
    undone_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization"],
                condition=Q(state__in=["applying", "undoing"]),
                name="repricerun_changes_one_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(ends_at__gt=F("starts_at")), name="repricerun_ends_after_it_starts"
            ),
        ]

    def __str__(self) -> str:
        return f"repricing {self.pk}: {self.state}"


class CostRevision(Scoped):
    """What a run changed for one event: the charge before and the charge after.

    Where correction_at is set the event lies in a closed month and stands as it was: the difference
    was booked at that moment, as one ledger row, or as two where the currency changed too.
    content_digest, occurred_at: the event as it was rated, to see whether something else has
    changed it since.
    """

    organization = models.ForeignKey(Organization, models.PROTECT, db_index=False)
    run = models.ForeignKey(RepriceRun, models.PROTECT, db_index=False, related_name="revisions")
    dedupe_key = models.BinaryField(max_length=16)
    month = models.DateField()
    occurred_at = models.DateTimeField()
    content_digest = models.BinaryField(max_length=16)
    cause = models.CharField(max_length=12, choices=[(cause, cause) for cause in CAUSES])
    correction_at = models.DateTimeField(null=True)

    old_model = _text(200)
    old_currency = _text(12)
    old_cost_state = models.CharField(max_length=12)
    old_cost = _money()
    old_cost_input = _money()
    old_cost_cache_read = _money()
    old_cost_cache_write = _money()
    old_cost_output = _money()
    old_cost_other = _money()
    old_cost_base = _money()
    old_credits = _money()
    old_unpriced_tokens = models.BigIntegerField()
    old_price_version = models.BigIntegerField()
    old_filled_in = _text(12)

    new_model = _text(200)
    new_currency = _text(12)
    new_cost_state = models.CharField(max_length=12)
    new_cost = _money()
    new_cost_input = _money()
    new_cost_cache_read = _money()
    new_cost_cache_write = _money()
    new_cost_output = _money()
    new_cost_other = _money()
    new_cost_base = _money()
    new_credits = _money()
    new_unpriced_tokens = models.BigIntegerField()
    new_price_version = models.BigIntegerField()
    new_filled_in = _text(12)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "dedupe_key", "month", "run"],
                name="costrevision_changes_an_event_once_a_run",
            ),
        ]
        indexes = [
            models.Index(fields=["run", "id"], name="costrevision_in_order"),
            models.Index(
                fields=["organization", "occurred_at"],
                name="costrevision_corrections",
                condition=Q(correction_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.cause} at {self.occurred_at}"


class PriceFilling(Scoped):
    """How far an organization's events have followed its newest prices; one row, made by the first.

    filled_version: all events have been looked at by it. version: by which they are being looked at,
    the same where nothing is left to do; cursor_at, cursor_key: behind what is done of that.
    conversions_from: from when on credit and exchange rates are others than before. priced, followed:
    how many of the events got an amount they had not, and how many another one than they had been
    given. run: the one that holds what was booked for closed months meanwhile.
    """

    organization = models.OneToOneField(Organization, models.PROTECT, primary_key=True)
    filled_version = models.BigIntegerField(default=0)
    version = models.BigIntegerField(default=0)
    cursor_at = models.DateTimeField(null=True)
    cursor_key = models.BinaryField(max_length=16, default=b"")
    conversions_from = models.DateTimeField(null=True)
    priced = models.BigIntegerField(default=0)
    followed = models.BigIntegerField(default=0)
    run = models.ForeignKey(RepriceRun, models.PROTECT, null=True, related_name="+")

    def __str__(self) -> str:
        return f"prices {self.version}"


class ClosedMonth(Scoped):
    """A local month whose events keep their charges; month is its first day."""

    organization = models.ForeignKey(Organization, models.PROTECT, db_index=False)
    month = models.DateField()
    closed_at = models.DateTimeField(db_default=Now())
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "month"], name="closedmonth_is_closed_once"
            ),
            models.CheckConstraint(
                condition=Q(month__day=1), name="closedmonth_is_named_by_its_first_day"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.month:%Y-%m}"
