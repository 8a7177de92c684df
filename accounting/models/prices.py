"""What tokens cost: dated rates in books, multipliers, credit and exchange rates, and their versions.

Rows are never changed: a change of price closes the open row and adds one, a correction supersedes
one. `superseded_version`, and the `effective_to` of an open row with the version that closed it, are
set once; nothing else ever is.
"""

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from accounting.models.dated import (
    MATCH_COLUMNS,
    NOT_BACKWARDS,
    WINDOW_IS_WHOLE,
    Matched,
    Versioned,
)


class PriceVersion(models.Model):
    """One committed change of anything that decides a cost; numbers follow the order of commits."""

    class Kind(models.TextChoices):
        BUILTIN = "builtin", "built-in list"
        CHANGE = "change", "change"
        CORRECTION = "correction", "correction"
        IMPORT = "import", "imported table"

    number = models.BigIntegerField(primary_key=True)
    #: NULL: the change concerns everybody (the built-in list).
    organization = models.ForeignKey(
        "accounting.Organization", on_delete=models.PROTECT, null=True, related_name="+"
    )
    kind = models.CharField(max_length=16, choices=Kind)
    reason = models.TextField(blank=True)
    user = models.CharField(max_length=150, blank=True)
    recorded_at = models.DateTimeField(default=timezone.now)
    #: What was loaded, where it came from a package: the same digest is never loaded twice.
    digest = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return f"{self.number} {self.kind}"


class PriceBook(models.Model):
    """A table of rates in one currency; a contract is asked before the organization before a list."""

    class Kind(models.TextChoices):
        CONTRACT = "contract", "contract"
        ORGANIZATION = "organization", "organization"
        LIST = "list", "list"

    #: NULL: a list for everybody.
    organization = models.ForeignKey(
        "accounting.Organization", on_delete=models.PROTECT, null=True, related_name="+"
    )
    #: Set: the book holds for this project alone.
    project = models.ForeignKey(
        "accounting.Project", on_delete=models.PROTECT, null=True, related_name="+"
    )
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="children")
    code = models.CharField(max_length=64)
    name = models.CharField(max_length=200, blank=True)
    currency = models.CharField(max_length=12)
    kind = models.CharField(max_length=16, choices=Kind)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "code"],
                nulls_distinct=False,
                name="pricebook_code_is_taken",
            ),
            models.CheckConstraint(
                condition=Q(organization__isnull=False) | Q(kind="list", project=None),
                name="pricebook_for_everybody_is_a_list",
            ),
        ]

    def __str__(self) -> str:
        return self.code


class Rate(Matched):
    """The price of `per` of one unit, for one model, while every condition holds."""

    price = models.DecimalField()
    per = models.BigIntegerField(default=1_000_000)

    class Meta:
        constraints = [
            # Serves the look-up of a model's rates too; overlaps beyond equal starts are refused
            # by the service, under the lock of the version.
            models.UniqueConstraint(
                fields=[*MATCH_COLUMNS, "effective_from"],
                condition=Q(superseded_version=None),
                nulls_distinct=False,
                name="rate_stands_once",
            ),
            models.CheckConstraint(condition=Q(price__gte=0), name="rate_is_not_negative"),
            models.CheckConstraint(condition=Q(per__gt=0), name="rate_is_per_something"),
            models.CheckConstraint(condition=~Q(unit=""), name="rate_names_its_unit"),
            models.CheckConstraint(
                condition=Q(model=None) | Q(provider=""),
                name="rate_with_a_model_has_its_provider",
            ),
            models.CheckConstraint(
                condition=Q(input_gt=None) | Q(input_gt__gte=0), name="rate_band_is_not_negative"
            ),
            models.CheckConstraint(condition=NOT_BACKWARDS, name="rate_ends_after_it_starts"),
            models.CheckConstraint(condition=WINDOW_IS_WHOLE, name="rate_window_is_whole"),
        ]

    def __str__(self) -> str:
        return f"{self.unit} {self.price}/{self.per}"


class VolumeTier(models.Model):
    """What a rate costs for more than so much of its unit in one request; all tiers of one mode."""

    class Mode(models.TextChoices):
        VOLUME = "volume", "all at the price of its tier"
        GRADUATED = "graduated", "each share at the price of its tier"

    rate = models.ForeignKey(
        Rate, on_delete=models.PROTECT, related_name="tier_rows", db_index=False
    )
    mode = models.CharField(max_length=12, choices=Mode)
    above = models.BigIntegerField()
    price = models.DecimalField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rate", "above"], name="volumetier_starts_once"),
            models.CheckConstraint(
                condition=Q(above__gt=0), name="volumetier_starts_above_nothing"
            ),
            models.CheckConstraint(condition=Q(price__gte=0), name="volumetier_is_not_negative"),
            models.CheckConstraint(
                condition=Q(mode__in=["volume", "graduated"]), name="volumetier_has_a_mode"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.mode} above {self.above}: {self.price}"


class RateMultiplier(Matched):
    """A factor on every matching rate; one per stack group applies, and groups multiply."""

    factor = models.DecimalField()
    stack_group = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=[*MATCH_COLUMNS, "stack_group", "effective_from"],
                condition=Q(superseded_version=None),
                nulls_distinct=False,
                name="ratemultiplier_stands_once",
            ),
            models.CheckConstraint(
                condition=Q(factor__gte=0), name="ratemultiplier_is_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(model=None) | Q(provider=""),
                name="ratemultiplier_with_a_model_has_its_provider",
            ),
            models.CheckConstraint(
                condition=NOT_BACKWARDS, name="ratemultiplier_ends_after_it_starts"
            ),
            models.CheckConstraint(
                condition=WINDOW_IS_WHOLE, name="ratemultiplier_window_is_whole"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stack_group} × {self.factor}"


class CreditRate(Versioned):
    """What one credit costs; starts at a local midnight of the organization."""

    organization = models.ForeignKey(
        "accounting.Organization", on_delete=models.PROTECT, related_name="+", db_index=False
    )
    kind = models.CharField(max_length=40, default="credit")
    currency = models.CharField(max_length=12)
    price = models.DecimalField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "kind", "currency", "effective_from"],
                condition=Q(superseded_version=None),
                name="creditrate_stands_once",
            ),
            models.CheckConstraint(condition=Q(price__gt=0), name="creditrate_is_positive"),
            models.CheckConstraint(condition=NOT_BACKWARDS, name="creditrate_ends_after_it_starts"),
        ]

    def __str__(self) -> str:
        return f"1 {self.kind} = {self.price} {self.currency}"


class FxRate(Versioned):
    """How much of one currency a unit of another is; starts at a local midnight."""

    organization = models.ForeignKey(
        "accounting.Organization", on_delete=models.PROTECT, related_name="+", db_index=False
    )
    from_currency = models.CharField(max_length=12)
    to_currency = models.CharField(max_length=12)
    rate = models.DecimalField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "from_currency", "to_currency", "effective_from"],
                condition=Q(superseded_version=None),
                name="fxrate_stands_once",
            ),
            models.CheckConstraint(condition=Q(rate__gt=0), name="fxrate_is_positive"),
            models.CheckConstraint(condition=NOT_BACKWARDS, name="fxrate_ends_after_it_starts"),
            models.CheckConstraint(
                condition=~Q(from_currency=F("to_currency")), name="fxrate_is_between_currencies"
            ),
        ]

    def __str__(self) -> str:
        return f"1 {self.from_currency} = {self.rate} {self.to_currency}"
