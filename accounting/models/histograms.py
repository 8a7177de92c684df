"""How many requests had a value of about a size: histograms, kept like the sums of the ledger.

A bucket of a histogram is 5 % wide: floor(ln(value) / ln(1.05)), see accounting.domain.histograms.
"""

from django.db import models

from accounting.models.scoping import Scoped
from accounting.models.tenants import Organization


def _text() -> "models.CharField[str, str]":
    return models.CharField(max_length=200, blank=True, default="")


def _sum() -> "models.BigIntegerField[int, int]":
    return models.BigIntegerField(default=0, db_default=0)


class Latencies(Scoped):
    """How many requests fell into one bucket of a latency. metric: ttft, tpot or duration, in ms."""

    organization = models.ForeignKey(Organization, models.PROTECT, db_index=False)
    purpose = models.CharField(max_length=10)
    provider = _text()
    model = _text()
    metric = models.CharField(max_length=10)
    bucket = models.SmallIntegerField()
    requests = _sum()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.model} {self.metric} {self.bucket}"


def _once(time: str, name: str) -> models.UniqueConstraint:
    keys = ("purpose", "provider", "model", "metric", "bucket")
    return models.UniqueConstraint(fields=["organization", time, *keys], name=name)


class LatencyHour(Latencies):
    """The latencies of one hour of the organization's zone."""

    hour = models.DateTimeField()

    class Meta:
        constraints = [_once("hour", "latencyhour_is_summed_once")]


class LatencyDay(Latencies):
    """The latencies of one day of the organization's zone."""

    day = models.DateField()

    class Meta:
        constraints = [_once("day", "latencyday_is_summed_once")]


class AnswerDay(Scoped):
    """How many answers of one day ended in one way under one limit of output tokens.

    ending: 'cut' for their length, 'whole', '' unknown. bucket: of the output tokens of whole answers;
    ZERO of none and UNKNOWN where nobody told them, and for answers that ended otherwise.
    output_tokens: theirs together, so that a bucket of equal ones knows them exactly.
    """

    ZERO, UNKNOWN = -1, -2

    organization = models.ForeignKey(Organization, models.PROTECT, db_index=False)
    day = models.DateField()
    purpose = models.CharField(max_length=10)
    provider = _text()
    model = _text()
    max_output_tokens: "models.BigIntegerField[int | None, int | None]" = models.BigIntegerField(
        null=True
    )
    ending = models.CharField(max_length=5, blank=True, default="")
    bucket = models.SmallIntegerField()
    requests = _sum()
    output_tokens = _sum()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "organization",
                    "day",
                    "purpose",
                    "provider",
                    "model",
                    "max_output_tokens",
                    "ending",
                    "bucket",
                ],
                name="answerday_is_counted_once",
                nulls_distinct=False,
            )
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.model} {self.ending}"
