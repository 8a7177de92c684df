"""The rows of a watched folder brought in line with what lies in it, before anything is read."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from accounting.models.imports import BROKE_DOWN
from ingest.formats.cutting import Layout
from ingest.models import WatchedFile, WatchedFolder
from ingest.services.watching_files import FoundFile, known_by

#: A file that is read only as a whole is left alone until nothing has changed in it for so long.
SETTLED = timedelta(seconds=2)
#: After so long without a change a last CSV row without a line end counts as whole.
QUIET = timedelta(seconds=60)
#: A file that ended its reader so often is left alone until somebody asks for it again.
ATTEMPTS = 5
#: The place of a file that has gone is remembered so long: it may be a disk that comes back.
REMEMBERED = timedelta(days=30)
#: Reasons that may pass without a change of the file.
PASSING = frozenset(["not_readable"])
#: Where nothing has been read of a file.
_UNREAD = {
    "stamp": "",
    "begun": "",
    "offset": 0,
    "line": 1,
    "seam": b"",
    "waiting": 0,
    "format": "",
    "layout": "",
    "header": b"",
    "reader_state": b"",
    "attempts": 0,
}
#: What is noted of a file that has come to another place, or into the place of another.
_MOVING = ["inside", "identity", "stamp", "attempts", "error_code", "reason", "vanished_at"]
#: As if a file had never been seen.
BEGINNING = {**_UNREAD, "error_code": "", "reason": ""}

type Work = tuple[FoundFile, WatchedFile]


def work_in(folder: WatchedFolder, files: list[FoundFile]) -> list[Work]:
    """The files of which something is to be read, each with its row, in the order of their paths.

    Rows follow files that were renamed, new files get one, and of those that have gone it is noted when.
    """
    now = timezone.now()
    heavy = ("header", "reader_state", "seam")
    rows = list(WatchedFile.objects.of(folder.organization_id).filter(folder=folder).defer(*heavy))
    pairs = list(known_by(files, rows))
    _follow_moves(folder, pairs)
    _note_vanished(rows, {row.pk for _, row in pairs if row is not None}, now)
    _add_new(folder, pairs)
    wanted = {
        row.pk: found for found, row in _rows_of(folder, pairs) if is_to_be_read(found, row, now)
    }
    full = WatchedFile.objects.of(folder.organization_id).in_bulk(list(wanted))
    return [(found, full[pk]) for pk, found in wanted.items()]


def is_to_be_read(found: FoundFile, row: WatchedFile, now: datetime) -> bool:
    """Whether a file has changed since it was read, or waits for something that may have come."""
    if row.attempts >= ATTEMPTS:
        return False
    if row.stamp != found.stamp or row.error_code in PASSING:
        return True
    return bool(row.waiting) and row.layout == Layout.CSV and has_rested(found, now, QUIET)


def has_rested(found: FoundFile, now: datetime, pause: timedelta) -> bool:
    """Whether a file was not changed for so long; a clock that goes wrong holds nothing up."""
    return abs(now - found.changed_at) >= pause


def begin_anew(row: WatchedFile) -> None:
    """Forget what was read of a file, not why it could not be. The caller saves it."""
    for name, value in _UNREAD.items():
        setattr(row, name, value)


def _rows_of(
    folder: WatchedFolder, pairs: Iterable[tuple[FoundFile, WatchedFile | None]]
) -> Iterator[Work]:
    made = {
        row.inside: row
        for row in WatchedFile.objects.of(folder.organization_id).filter(
            folder=folder, inside__in=[found.inside for found, row in pairs if row is None]
        )
    }
    for found, row in pairs:
        yield found, row or made[found.inside]


def _follow_moves(
    folder: WatchedFolder, pairs: Iterable[tuple[FoundFile, WatchedFile | None]]
) -> None:
    """Note new names, identities and returns, at once: logs that are rotated change places."""
    moved = []
    for found, row in pairs:
        if row is None:
            continue
        if (row.inside, row.identity, row.vanished_at) != (found.inside, found.identity, None):
            if _may_be_another(found, row):
                # How far it was is left for its seam to judge: a disk may come back as another.
                row.stamp, row.attempts = "", 0
                if row.error_code == BROKE_DOWN:
                    row.error_code = row.reason = ""
            row.inside, row.identity, row.vanished_at = found.inside, found.identity, None
            moved.append(row)
    if moved:
        with transaction.atomic():
            known = WatchedFile.objects.of(folder.organization_id)
            known.bulk_update(moved, _MOVING, batch_size=500)


def _may_be_another(found: FoundFile, row: WatchedFile) -> bool:
    """Whether another file may have come: into the same place, or with the inode of one that has gone."""
    is_elsewhere = row.vanished_at is not None and row.inside != found.inside
    return is_elsewhere or row.identity != found.identity


def _note_vanished(rows: Iterable[WatchedFile], there: set[int], now: datetime) -> None:
    gone = [row for row in rows if row.pk not in there]
    newly = [row.pk for row in gone if row.vanished_at is None]
    long_ago = [row.pk for row in gone if row.vanished_at and now - row.vanished_at > REMEMBERED]
    if newly:
        WatchedFile.objects.filter(pk__in=newly).update(vanished_at=now)
    if long_ago:
        WatchedFile.objects.filter(pk__in=long_ago).delete()


def _add_new(folder: WatchedFolder, pairs: Iterable[tuple[FoundFile, WatchedFile | None]]) -> None:
    new = [
        WatchedFile(
            organization_id=folder.organization_id,
            folder=folder,
            inside=found.inside,
            identity=found.identity,
        )
        for found, row in pairs
        if row is None
    ]
    WatchedFile.objects.bulk_create(new, batch_size=500)
