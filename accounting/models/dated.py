"""What rows of price tables have in common: when they hold, what they apply to, who knew them."""

from django.db import models
from django.db.models import F, Q


class Versioned(models.Model):
    """Something true from one moment to another, and known from one version to another."""

    effective_from = models.DateTimeField()
    effective_to = models.DateTimeField(null=True)  # exclusive; NULL: still in force
    added_version = models.ForeignKey(
        "accounting.PriceVersion", on_delete=models.PROTECT, related_name="+", db_index=False
    )
    #: The version that ended an open row, so that an earlier version still sees it open.
    closed_version = models.ForeignKey(
        "accounting.PriceVersion",
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
    )
    superseded_version = models.ForeignKey(
        "accounting.PriceVersion",
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
    )
    source = models.CharField(max_length=100, blank=True)
    note = models.TextField(blank=True)

    class Meta:
        abstract = True


class Matched(Versioned):
    """The conditions under which a rate or a multiplier applies; all of them must hold."""

    book = models.ForeignKey(
        "accounting.PriceBook", on_delete=models.PROTECT, related_name="+", db_index=False
    )
    #: '' with no model: every provider; set with no model: all models of that provider.
    provider = models.CharField(max_length=64, blank=True)
    model = models.ForeignKey(
        "accounting.LlmModel", on_delete=models.PROTECT, null=True, related_name="+"
    )
    unit = models.CharField(max_length=64, blank=True)
    #: Holds when the whole request's input tokens, cached ones included, are more than this.
    input_gt = models.BigIntegerField(null=True)
    #: Must all be equal: service_tier, processing, region, speed, route.
    conditions = models.JSONField(default=dict)
    #: A recurring local window, half-open, which may run over midnight.
    window_zone = models.CharField(max_length=64, blank=True)
    window_from = models.TimeField(null=True)
    window_to = models.TimeField(null=True)
    #: Days on which a window may start, Monday = 1, Tuesday = 2, Wednesday = 4 …; 127 is every day.
    window_weekdays = models.SmallIntegerField(null=True)
    priority = models.IntegerField(default=0)

    class Meta:
        abstract = True


MATCH_COLUMNS = (
    "book",
    "model",
    "provider",
    "unit",
    "input_gt",
    "conditions",
    "window_zone",
    "window_from",
    "window_to",
    "window_weekdays",
    "priority",
)
WINDOW_IS_WHOLE = Q(window_zone="", window_from=None, window_to=None, window_weekdays=None) | Q(
    ~Q(window_zone=""),
    window_from__isnull=False,
    window_to__isnull=False,
    window_weekdays__gte=1,
    window_weekdays__lte=127,
)
NOT_BACKWARDS = Q(effective_to=None) | Q(effective_to__gt=F("effective_from"))
