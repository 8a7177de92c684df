"""Where events came from: imports, what they could not read, benchmark runs, saved mappings."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from accounting.models.scoping import Scoped
from accounting.models.tenants import ApiKey, Organization, Project

IMPORT_STATES = ("receiving", "ready", "reading", "done", "failed", "quarantined", "undone")
#: States in which an import is still to be read.
UNFINISHED_IMPORTS = ("receiving", "ready", "reading")
#: An import that failed with this code broke down; with any other its input was refused.
BROKE_DOWN = "reading_failed"
#: The fields that count an import's lines, all of them first and then each outcome.
LINE_COUNTERS = (
    "lines", "recorded", "updated", "duplicates", "conflicts", "skipped", "rejected"
)  # fmt: skip
KEY_USED_ONCE = "idempotency_key_is_used_once"
DOORS = ("push", "upload", "command", "watch", "demo")


class Import(Scoped):
    """One input: a push, an uploaded file, or a path given to the command.

    Every source record has exactly one outcome, so lines is always their sum. Totals of requests,
    tokens and money are what the input changed in the books. earliest_at, latest_at: the first and
    the last moment it tells of, NULL until something was counted.
    """

    organization = models.ForeignKey(Organization, models.PROTECT)
    project = models.ForeignKey(Project, models.PROTECT, null=True)
    api_key = models.ForeignKey(ApiKey, models.PROTECT, null=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    door = models.CharField(max_length=10, choices=[(door, door) for door in DOORS])
    name = models.CharField(max_length=255, blank=True, default="")
    size = models.BigIntegerField(default=0)
    digest = models.BinaryField(max_length=32, default=b"")
    # NULL for imports without one.
    idempotency_key = models.CharField(max_length=200, null=True)  # noqa: DJ001
    format = models.CharField(max_length=40, blank=True, default="")
    layout = models.CharField(max_length=20, blank=True, default="")
    reason = models.TextField(blank=True, default="")
    options = models.JSONField(default=dict)
    state = models.CharField(
        max_length=12, choices=[(state, state) for state in IMPORT_STATES], default="receiving"
    )
    error_code = models.CharField(max_length=60, blank=True, default="")
    received_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)
    undone_at = models.DateTimeField(null=True)
    earliest_at = models.DateTimeField(null=True)
    latest_at = models.DateTimeField(null=True)
    lines = models.BigIntegerField(default=0)
    recorded = models.BigIntegerField(default=0)
    updated = models.BigIntegerField(default=0)
    duplicates = models.BigIntegerField(default=0)
    conflicts = models.BigIntegerField(default=0)
    skipped = models.BigIntegerField(default=0)
    rejected = models.BigIntegerField(default=0)
    #: Changes in the books as decimal texts and integers: see accounting.domain.changes.Change.
    change = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "api_key", "idempotency_key"],
                name=KEY_USED_ONCE,
                condition=Q(idempotency_key__isnull=False),
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=Q(
                    lines=F("recorded")
                    + F("updated")
                    + F("duplicates")
                    + F("conflicts")
                    + F("skipped")
                    + F("rejected")
                ),
                name="import_line_has_one_outcome",
            ),
        ]
        indexes = [
            models.Index(fields=["organization", "-received_at"], name="import_newest_first"),
            models.Index(
                fields=["state"],
                name="import_unfinished",
                condition=Q(state__in=list(UNFINISHED_IMPORTS)),
            ),
        ]

    def __str__(self) -> str:
        return f"import {self.pk}: {self.name}"

    @property
    def result_state(self) -> str:
        """What `ingest --json` says: done, unchanged (all of it was known), refused or failed.

        Until reading is over the state itself.
        """
        if self.state == "failed":
            return "failed" if self.error_code == BROKE_DOWN else "refused"
        if self.state == "quarantined":
            return "failed"
        is_known = self.duplicates and not (self.recorded + self.updated + self.conflicts)
        return "unchanged" if self.state == "done" and is_known else self.state


class Rejection(Scoped):
    """A source record that could not be read, and why; never the record itself.

    line is NULL where the whole file was refused.
    """

    organization = models.ForeignKey(Organization, models.PROTECT)
    source_import = models.ForeignKey(Import, models.CASCADE, related_name="rejections")
    path = models.CharField(max_length=1000, blank=True, default="")
    line = models.BigIntegerField(null=True)
    offset = models.BigIntegerField(null=True)
    code = models.CharField(max_length=60)
    reason = models.CharField(max_length=400)
    field = models.CharField(max_length=80, blank=True, default="")
    value = models.CharField(max_length=80, blank=True, default="")

    class Meta:
        indexes = [models.Index(fields=["source_import", "line"], name="rejection_by_import")]

    def __str__(self) -> str:
        return f"line {self.line}: {self.code}"


class Run(Scoped):
    """A benchmark run: what was measured, with what, under which settings.

    source_import: the one that told of it first.
    """

    organization = models.ForeignKey(Organization, models.PROTECT)
    label = models.CharField(max_length=200)
    tool = models.CharField(max_length=40)
    model = models.CharField(max_length=200, blank=True, default="")
    settings = models.JSONField(default=dict)
    started_at = models.DateTimeField(null=True)
    source_import = models.ForeignKey(Import, models.SET_NULL, null=True, related_name="runs")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "tool", "label"], name="run_label_is_unique"
            )
        ]

    def __str__(self) -> str:
        return self.label


class Mapping(Scoped):
    """What the columns of an organization's own export mean, saved under a name.

    definition: as ingest.formats.mapping reads it.
    """

    organization = models.ForeignKey(Organization, models.PROTECT)
    name = models.CharField(max_length=100)
    definition = models.JSONField(default=dict)
    changed_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "name"], name="mapping_name_is_unique")
        ]

    def __str__(self) -> str:
        return self.name
