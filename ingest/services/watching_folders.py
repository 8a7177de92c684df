"""Which folders are watched: added, listed, let go of, and read again from their beginnings."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db import transaction
from django.db.models import Q

from accounting.domain.errors import DomainError
from ingest.formats import FORMATS
from ingest.formats.base import Scope, UnreadableError
from ingest.formats.mapping import mapping_from
from ingest.models import WatchedFile, WatchedFolder
from ingest.models.watching import PATH_LIMIT
from ingest.services.choices import choices_kept
from ingest.services.leases import Lease, lease
from ingest.services.receive import Sender
from ingest.services.tables import Reading
from ingest.services.watching_books import kept_states, packed_states
from ingest.services.watching_files import look_through
from ingest.services.watching_rows import BEGINNING

SHOWN = 20
#: A look at a folder takes seconds, at a large packed file about a minute.
PATIENCE_S = 120.0


class NotWatchableError(DomainError):
    """A folder is not there, cannot be watched, or is watched already."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadFile:
    """A file that is not read, or not to its end. waiting: bytes of a last line without an end."""

    inside: str
    code: str
    reason: str
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A watched folder as `watch list` shows it. unread: the first of its files that are not read."""

    folder_id: int
    path: str
    organization: str
    project: str | None
    only: str
    looked_at: datetime | None
    code: str
    reason: str
    files: int
    unread: tuple[UnreadFile, ...]


def add_folder(path: str, *, sender: Sender, only: str = "") -> WatchedFolder:
    """Watch a folder from now on, what lies in it already included. Raises NotWatchableError.

    Folders of one organization do not lie in each other: a file would be read twice for nothing.
    """
    if not path:
        raise NotWatchableError("bad_name", "the path is empty; the folder you are in is '.'")
    folder = Path(path).absolute()
    text = str(folder)
    if len(text) > PATH_LIMIT or not text.isprintable():
        raise NotWatchableError(
            "bad_name", f"a path of printable text, at most {PATH_LIMIT:,} long"
        )
    try:
        look_through(folder, only)
    except UnreadableError as error:
        raise NotWatchableError(error.code, f"{text}: {error.reason}") from error
    with transaction.atomic():
        known = WatchedFolder.objects.of(sender.organization_id).select_for_update().order_by("pk")
        for other in known:
            if _overlap(folder, Path(other.path)):
                raise NotWatchableError("already_watched", f"{other.path} is watched")
        return WatchedFolder.objects.create(
            organization_id=sender.organization_id,
            project_id=sender.project_id,
            path=text,
            only=only,
            options={
                **sender.choices.as_json(),
                **sender.reading.as_json(),
                **({"format": sender.wanted_format} if sender.wanted_format else {}),
            },
        )


def sender_for(folder: WatchedFolder) -> Sender:
    """Who sends what lies in a folder, as was said when it was added."""
    options = folder.options
    definition = options.get("mapping")
    return Sender(
        organization_id=folder.organization_id,
        project_id=folder.project_id,
        name=folder.path,
        wanted_format=options.get("format", ""),
        choices=choices_kept(options),
        reading=Reading(
            mapping=mapping_from(definition) if definition else None,
            encoding=options.get("encoding", ""),
        ),
    )


def remove_folder(path: str, *, organization_id: int) -> None:
    """Watch a folder no longer; what was counted stays. Raises NotWatchableError."""
    folder = _folder(path, organization_id)
    with _alone(folder):
        folder.delete()


def read_again(path: str, *, organization_id: int, files: Sequence[str] = ()) -> int:
    """Have files of a folder, or all, read from their beginnings by the next look; how many.

    What was counted of them counts once, and what was undone comes back. Where a format is read across
    files, all of its files are. Raises NotWatchableError.
    """
    folder = _folder(path, organization_id)
    known = folder.files.all()
    missing = sorted(set(files) - set(known.values_list("inside", flat=True)))
    if missing:
        raise NotWatchableError("not_found", f"no file {missing[0]!r} is followed in {folder.path}")
    chosen = known.filter(inside__in=files) if files else known
    across = [one.name for one in FORMATS if one.scope is Scope.INPUT]
    begun = sorted(set(chosen.filter(format__in=across).values_list("format", flat=True)))
    with _alone(folder), transaction.atomic():
        folder.refresh_from_db(fields=["states"])
        states = kept_states(folder)
        folder.states = packed_states({n: one for n, one in states.items() if n not in begun})
        folder.deaths = 0
        folder.save(update_fields=["states", "deaths"])
        wanted = Q(inside__in=files) | Q(format__in=begun) if files else Q()
        return known.filter(wanted).update(**BEGINNING)


def watched_folders(organization_id: int | None = None) -> list[Watched]:
    """All watched folders, or an organization's, by path. Two queries for each."""
    folders = WatchedFolder.objects.select_related("organization", "project").order_by("path", "pk")
    if organization_id is not None:
        folders = folders.filter(organization_id=organization_id)
    return [_shown(folder) for folder in folders]


def _shown(folder: WatchedFolder) -> Watched:
    there = WatchedFile.objects.of(folder.organization_id).filter(folder=folder, vanished_at=None)
    unread = there.filter(~Q(error_code="") | Q(waiting__gt=0)).order_by("inside")[:SHOWN]
    return Watched(
        folder_id=folder.pk,
        path=folder.path,
        organization=folder.organization.slug,
        project=folder.project.slug if folder.project else None,
        only=folder.only,
        looked_at=folder.looked_at,
        code=folder.error_code,
        reason=folder.reason,
        files=there.count(),
        unread=tuple(
            UnreadFile(
                inside=row.inside, code=row.error_code, reason=row.reason, waiting=row.waiting
            )
            for row in unread
        ),
    )


@contextmanager
def _alone(folder: WatchedFolder) -> Iterator[None]:
    """Hold the folder's lease; a worker that looks at it is waited for. Raises NotWatchableError."""
    ends_at = time.monotonic() + PATIENCE_S
    while True:
        with lease(Lease.FOLDER, folder.pk) as is_mine:
            if is_mine:
                yield
                return
        if time.monotonic() > ends_at:
            raise NotWatchableError("being_read", f"{folder.path} is being read; try again")
        time.sleep(0.1)


def _folder(path: str, organization_id: int) -> WatchedFolder:
    text = str(Path(path).absolute())
    found = WatchedFolder.objects.of(organization_id).filter(path=text).first()
    if found is None:
        raise NotWatchableError("not_watched", f"{text} is not watched")
    return found


def _overlap(one: Path, other: Path) -> bool:
    return one == other or one in other.parents or other in one.parents
