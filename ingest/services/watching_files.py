"""What lies in a watched folder now, and which of it is known under which name: one stat for each file."""

import fnmatch
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from ingest.formats.base import UnreadableError
from ingest.models import WatchedFile
from ingest.models.watching import PATH_LIMIT


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A regular file of a folder, as it was when the folder was looked through.

    identity: stays when it is renamed. stamp: is another one after it has changed.
    """

    path: str
    inside: str
    identity: str
    size: int
    changed_ns: int

    @property
    def stamp(self) -> str:
        """Size and time of change."""
        return f"{self.size}:{self.changed_ns}"

    @property
    def changed_at(self) -> datetime:
        """When it was changed last, as its file system says."""
        return datetime.fromtimestamp(self.changed_ns // 1_000_000_000, UTC)


@dataclass(slots=True, kw_only=True)
class Seen:
    """A folder's files in the order of their paths, and the places that could not be looked at."""

    files: list[FoundFile] = field(default_factory=list)
    closed: list[tuple[str, str]] = field(default_factory=list)

    def note(self, entry: os.DirEntry[str], inside: str) -> None:
        """Add an entry if it is a regular file; one of a name that cannot be kept is closed."""
        try:
            known = entry.stat(follow_symlinks=False)
        except OSError as error:
            self.close(inside, error)
            return
        if not stat.S_ISREG(known.st_mode):
            return
        if len(inside) > PATH_LIMIT:
            reason = f"its path has more than {PATH_LIMIT:,} characters"
            self.closed.append((_shown(inside), reason))
        elif _shown(inside) != inside:
            self.closed.append((_shown(inside), "its name is not UTF-8"))
        else:
            self.files.append(
                FoundFile(
                    path=entry.path,
                    inside=inside,
                    identity=_identity(known),
                    size=known.st_size,
                    changed_ns=known.st_mtime_ns,
                )
            )

    def close(self, inside: str, error: OSError) -> None:
        """Say why a place cannot be looked at; one that has vanished is not there."""
        if not isinstance(error, FileNotFoundError):
            self.closed.append((_shown(inside), os.strerror(error.errno or 0)))


def look_through(folder: Path, only: str = "") -> Seen:
    """The regular files of a folder and of those in it; links in it are not followed.

    only: a pattern of names. What vanishes meanwhile is left out. Raises UnreadableError where the
    folder itself cannot be looked at.
    """
    seen = Seen()
    waiting = [(os.fspath(folder), "")]
    while waiting:
        path, before = waiting.pop()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, f"{before}{entry.name}/"))
                    elif not only or fnmatch.fnmatchcase(entry.name, only):
                        seen.note(entry, before + entry.name)
        except OSError as error:
            if not before:
                raise _unreadable(error) from error
            seen.close(before.rstrip("/"), error)
    seen.files.sort(key=lambda file: file.inside)
    return seen


def open_file(found: FoundFile) -> BinaryIO | None:
    """The file, open for reading; None where another one has taken its place since it was found.

    Never waits, whatever lies there now. Raises UnreadableError.
    """
    try:
        number = os.open(found.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(error) from error
    stream = os.fdopen(number, "rb")
    now = os.fstat(number)
    if stat.S_ISREG(now.st_mode) and _identity(now) == found.identity:
        return stream
    stream.close()
    return None


def known_by(
    files: Sequence[FoundFile], rows: Iterable[WatchedFile]
) -> Iterator[tuple[FoundFile, WatchedFile | None]]:
    """Each file with the row that follows it, by place and identity, else by identity, else by place.

    So a log that was renamed is followed on, and what has come into its place begins anew. None: it is new.
    """
    left = {row.inside: row for row in rows}
    matched: dict[str, WatchedFile] = {}
    for found in files:
        row = left.get(found.inside)
        if row is not None and row.identity == found.identity:
            matched[found.inside] = left.pop(found.inside)
    by_identity = {row.identity: row for row in left.values()}
    for found in files:
        if found.inside not in matched and (moved := by_identity.pop(found.identity, None)):
            matched[found.inside] = left.pop(moved.inside)
    for found in files:
        yield found, matched.get(found.inside) or left.pop(found.inside, None)


def _identity(known: os.stat_result) -> str:
    return f"{known.st_dev}:{known.st_ino}"


def _shown(inside: str) -> str:
    return inside.encode("utf-8", "backslashreplace").decode()[:PATH_LIMIT]


def _unreadable(error: OSError) -> UnreadableError:
    code = "not_found" if isinstance(error, FileNotFoundError) else "not_readable"
    if isinstance(error, NotADirectoryError):
        code = "not_a_folder"
    return UnreadableError(code, os.strerror(error.errno or 0))
