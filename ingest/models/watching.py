"""Watched folders, and how far each of their files has been read."""

from django.db import models
from django.db.models.functions import Now

from accounting.models.scoping import Scoped
from accounting.models.tenants import Organization, Project

PATH_LIMIT = 1000


class WatchedFolder(Scoped):
    """A folder whose files are followed as they grow.

    only: a pattern of file names, '' for all. options: as Import.options keeps what was chosen.
    states: what readers carry from file to file, by format, as MessagePack. deaths: how often in a row a
    worker ended while it read here. error_code, reason: why it, or a part of it, cannot be looked at.
    """

    organization = models.ForeignKey(Organization, models.PROTECT)
    project = models.ForeignKey(Project, models.PROTECT, null=True)
    path = models.CharField(max_length=PATH_LIMIT)
    only = models.CharField(max_length=200, blank=True, default="")
    options = models.JSONField(default=dict)
    states = models.BinaryField(default=b"")
    deaths = models.SmallIntegerField(default=0)
    error_code = models.CharField(max_length=60, blank=True, default="")
    reason = models.CharField(max_length=400, blank=True, default="")
    looked_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "path"], name="watchedfolder_is_watched_once"
            )
        ]

    def __str__(self) -> str:
        return self.path


class WatchedFile(Scoped):
    """One file of a watched folder.

    inside: its path inside the folder. identity: its device and inode, which it keeps when it is renamed.
    stamp: size and time of change up to which it has been read; begun: those of a file that can only be
    read as a whole and is not through yet. offset, line: of the plain text, where reading goes on.
    seam: digest of what lay at the beginning and before the offset, so that a replaced file is noticed.
    waiting: bytes of a last line that has no end yet.
    """

    organization = models.ForeignKey(Organization, models.PROTECT, db_index=False)
    folder = models.ForeignKey(WatchedFolder, models.CASCADE, related_name="files")
    inside = models.CharField(max_length=PATH_LIMIT)
    identity = models.CharField(max_length=50)
    stamp = models.CharField(max_length=50, blank=True, default="")
    begun = models.CharField(max_length=50, blank=True, default="")
    offset = models.BigIntegerField(default=0)
    line = models.BigIntegerField(default=1)
    seam = models.BinaryField(default=b"")
    waiting = models.BigIntegerField(default=0)
    format = models.CharField(max_length=40, blank=True, default="")
    layout = models.CharField(max_length=20, blank=True, default="")
    header = models.BinaryField(default=b"")
    reader_state = models.BinaryField(default=b"")
    attempts = models.SmallIntegerField(default=0)
    error_code = models.CharField(max_length=60, blank=True, default="")
    reason = models.CharField(max_length=400, blank=True, default="")
    read_at = models.DateTimeField(null=True)
    vanished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            # Deferred, so that files can change places when logs are rotated.
            models.UniqueConstraint(
                fields=["folder", "inside"],
                name="watchedfile_is_followed_once",
                deferrable=models.Deferrable.DEFERRED,
            )
        ]

    def __str__(self) -> str:
        return self.inside
