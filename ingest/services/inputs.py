"""The files of an input: a file alone, or a folder's files in sorted order."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ingest.formats.base import UnreadableError


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFile:
    """One file of an input.

    inside: its path inside the input's folder, '' where the input is this file.
    """

    path: Path
    inside: str
    size: int
    changed_at: datetime

    @property
    def name(self) -> str:
        """What formats see: the path inside the folder, else the file's name."""
        return self.inside or self.path.name


def files_of(path: Path) -> list[LogFile]:
    """The regular files of an input, sorted by their path inside it.

    Hidden ones are among them, links inside a folder are not followed.
    Raises UnreadableError: not_found, not_readable, not_a_regular_file.
    """
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            return sorted(_below(path), key=lambda file: file.inside)
    except FileNotFoundError:
        raise UnreadableError("not_found", "there is no such file or folder") from None
    except OSError as error:
        raise UnreadableError("not_readable", os.strerror(error.errno or 0)) from error
    if not stat.S_ISREG(found.st_mode):
        raise UnreadableError("not_a_regular_file", "neither a file nor a folder")
    return [_file(path, "", found)]


def _below(folder: Path) -> Iterator[LogFile]:
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            found = path.lstat()
            if stat.S_ISREG(found.st_mode):
                yield _file(path, path.relative_to(folder).as_posix(), found)


def _file(path: Path, inside: str, found: os.stat_result) -> LogFile:
    changed_at = datetime.fromtimestamp(found.st_mtime, UTC)
    return LogFile(path=path, inside=inside, size=found.st_size, changed_at=changed_at)
