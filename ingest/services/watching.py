"""Looks at watched folders: what has come to their files since the last time is read into the books."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from django.db.models import F, Q
from django.utils import timezone

from accounting.models.imports import LINE_COUNTERS
from ingest.formats.base import UnreadableError
from ingest.models import WatchedFolder
from ingest.services.booking import readable
from ingest.services.leases import Lease, lease
from ingest.services.watching_books import FolderBooks, ReadAgainError
from ingest.services.watching_files import Seen, look_through
from ingest.services.watching_folders import sender_for
from ingest.services.watching_reading import BrokeDownError, FolderReading
from ingest.services.watching_rows import work_in

#: A folder that no host has found for so long is not there. Each host may have folders of its own.
MISSING = timedelta(minutes=1)
#: After so many ends of a worker in a row each file is read alone, to find the one that ends it.
DEATHS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a look at one folder brought.

    is_through: whether nothing was left for the next look. counts: files and bytes that were read,
    files of which it was too early to read anything, and what became of lines. code, reason: why the
    folder, or a part of it, could not be looked at.
    """

    folder_id: int
    path: str
    is_through: bool
    counts: Counter[str] = field(default_factory=Counter)
    code: str = ""
    reason: str = ""

    def as_json(self) -> dict[str, object]:
        """The object that `watch now --json` prints."""
        names = ("files", "early", "bytes", *LINE_COUNTERS)
        return {
            "folder": self.path,
            "is_through": self.is_through,
            **{name: self.counts[name] for name in names},
            "code": self.code or None,
            "reason": self.reason or None,
        }


def look(*, seconds: float, folder_ids: Sequence[int] | None = None) -> list[Look]:
    """Look at the folders, the longest unseen first, until the time is up.

    A folder at which another worker looks is left to it. Only errors of the database are raised.
    """
    ends_at = time.monotonic() + seconds
    folders = WatchedFolder.objects.order_by(F("looked_at").asc(nulls_first=True), "pk")
    if folder_ids is not None:
        folders = folders.filter(pk__in=folder_ids)
    looks: list[Look] = []
    for folder_id in list(folders.values_list("pk", flat=True)):
        if looks and time.monotonic() > ends_at:
            break
        with lease(Lease.FOLDER, folder_id) as is_mine:
            folder = WatchedFolder.objects.filter(pk=folder_id).first()
            if is_mine and folder is not None:
                looks.append(_look_at(folder, ends_at))
    return looks


def look_where_nobody_does(*, seconds: float) -> list[Look]:
    """Look at the folders at which no worker has looked for a minute, as where no broker is.

    One that is not there is among them for as long, and the others are not looked at because of it.
    """
    before = timezone.now() - MISSING
    late = Q(looked_at__lt=before) | Q(looked_at=None, created_at__lt=before)
    folder_ids = list(WatchedFolder.objects.filter(late).values_list("pk", flat=True))
    return look(seconds=seconds, folder_ids=folder_ids) if folder_ids else []


def _look_at(folder: WatchedFolder, ends_at: float) -> Look:
    try:
        seen = look_through(Path(folder.path), folder.only)
    except UnreadableError as error:
        return _closed(folder, error)
    books = FolderBooks(folder=folder, now=timezone.now())
    try:
        is_through = _read(seen, books, ends_at, is_alone=folder.deaths > DEATHS)
    except BrokeDownError:
        books.drop()
        is_through = _read(seen, books, ends_at, is_alone=True)
    folder.looked_at, folder.deaths = timezone.now(), 0
    folder.error_code, folder.reason = _closed_places(seen)
    folder.save(update_fields=["looked_at", "deaths", "error_code", "reason"])
    return Look(
        folder_id=folder.pk,
        path=folder.path,
        is_through=is_through,
        counts=books.counts,
        code=folder.error_code,
        reason=folder.reason,
    )


def _read(seen: Seen, books: FolderBooks, ends_at: float, *, is_alone: bool) -> bool:
    """Read the news of the folder's files; whether all of them were read."""
    work = work_in(books.folder, seen.files)
    if not work:
        return True
    books.folder.deaths += 1  # committed, so that it outlives a worker that ends while it reads
    books.folder.save(update_fields=["deaths"])
    reading = FolderReading(
        books=books, sender=sender_for(books.folder), ends_at=ends_at, is_alone=is_alone
    )
    try:
        for number, (found, row) in enumerate(work):
            if number and not reading.has_time():
                reading.book()
                return False
            reading.read(found, row)
        reading.book()
    except ReadAgainError:
        books.drop()
        return False
    return not reading.is_cut_short


def _closed(folder: WatchedFolder, error: UnreadableError) -> Look:
    """Note that a folder is not there, unless another host has seen it just now."""
    last_seen = folder.looked_at or folder.created_at
    if error.code != "not_found" or timezone.now() - last_seen > MISSING:
        folder.error_code, folder.reason = error.code, readable(error.reason, 400)
        folder.save(update_fields=["error_code", "reason"])
    return Look(
        folder_id=folder.pk,
        path=folder.path,
        is_through=True,
        code=error.code,
        reason=error.reason,
    )


def _closed_places(seen: Seen) -> tuple[str, str]:
    if not seen.closed:
        return "", ""
    named = "; ".join(f"{inside}: {why}" for inside, why in seen.closed[:3])
    more = f" and {len(seen.closed) - 3:,} more" if len(seen.closed) > 3 else ""
    return "not_readable", readable(f"not looked at: {named}{more}", 400)
