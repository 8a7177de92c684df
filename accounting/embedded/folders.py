"""The data folder: where the private server, the secret key and the bells live."""

import errno
import fcntl
import hashlib
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from accounting.embedded.errors import DataFolderError

SECRET_KEY_CHARACTERS = 64
SOCKET_NAME = ".s.PGSQL.5432"
SOCKET_PATH_LIMIT = 107  # bytes the kernel keeps of a unix socket's path
BELL_POLLING_S = 0.2


class DataFolder:
    """One data folder and the places inside and beside it.

    Nothing is created before it is needed. As root others may pass through the folder (0711),
    because the server runs as another user; for an ordinary user it is closed (0700).
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))

    @property
    def digest(self) -> str:
        """A short name of this folder, for places that can't lie inside it."""
        return hashlib.blake2b(os.fsencode(self.path), digest_size=6).hexdigest()

    @property
    def socket_folder(self) -> Path:
        """Where the private server listens.

        The folder it last used, which the data folder notes, so that a command with another
        environment still finds a running server; else a short path outside the data folder,
        whose own path may be longer than a socket's path can be.
        """
        try:
            noted = Path(self._socket_note.read_text().strip())
        except OSError:
            return self._new_socket_folder()
        return noted if noted.is_dir() else self._new_socket_folder()

    def note_socket_folder(self, socket_folder: Path) -> None:
        """Remember where the server listens."""
        with told_plainly(self.path):
            part = self._socket_note.with_suffix(".part")
            part.write_text(f"{socket_folder}\n")
            part.replace(self._socket_note)

    @property
    def bell_url(self) -> str:
        """The broker address of the bells, see accounting.config.bellbroker."""
        return "bells://localhost"

    @property
    def bell_options(self) -> dict[str, str | float]:
        """The transport options of the bells: where they are kept and how often looked for."""
        return {"folder": str(self.path / "bells"), "polling_interval": BELL_POLLING_S}

    def make(self) -> None:
        """Create the folder if need be and see that we can write in it.

        Raises DataFolderError.
        """
        passable = 0o711 if os.geteuid() == 0 else 0o700
        with told_plainly(self.path):
            if not self.path.exists():
                self.path.mkdir(parents=True, exist_ok=True)
                self.path.chmod(passable)
            if not self.path.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            found = self.path.stat()
            if os.geteuid() == found.st_uid == 0:
                self.path.chmod(stat.S_IMODE(found.st_mode) | 0o011)
            if not os.access(self.path, os.R_OK | os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    def secret_key(self) -> str:
        """The secret key of this installation, made on first use and readable only by us.

        However many processes ask at once, all get the same.
        """
        file = self.path / "secret_key"
        with told_plainly(file):
            if file.exists() and len(key := file.read_text()) == SECRET_KEY_CHARACTERS:
                return key
        self.make()
        with told_plainly(file), open(file, "a+", opener=_for_owner_only) as key_file:
            fcntl.flock(key_file, fcntl.LOCK_EX)
            key_file.seek(0)
            if len(key := key_file.read()) != SECRET_KEY_CHARACTERS:  # also one cut off by a crash
                key = secrets.token_hex(SECRET_KEY_CHARACTERS // 2)
                key_file.truncate(0)
                key_file.write(key)
                key_file.flush()
                os.fsync(key_file.fileno())
            return key

    @property
    def _socket_note(self) -> Path:
        return self.path / "socket_folder"

    def _new_socket_folder(self) -> Path:
        name = f"tallybook-{os.geteuid()}-{self.digest}"
        for base in _socket_bases():
            if len(os.fsencode(base / name / SOCKET_NAME)) <= SOCKET_PATH_LIMIT:
                return base / name
        return Path("/tmp") / name  # noqa: S108  made 0700 and checked by the server


@contextmanager
def told_plainly(path: Path) -> Iterator[None]:
    """Turn what the operating system says about this path into a sentence for a person."""
    try:
        yield
    except OSError as error:
        raise DataFolderError(_sentence(path, error)) from error


def _sentence(path: Path, error: OSError) -> str:
    advice = "set TALLYBOOK_DATA_DIR to another folder"
    if isinstance(error, FileExistsError | NotADirectoryError):
        return f"{path}: a file is in the way, expected a folder; move it or {advice}"
    if isinstance(error, PermissionError):
        return f"{path}: user {os.geteuid()} may not write here; change its owner or {advice}"
    if error.errno == errno.EROFS:
        return f"{path}: the file system is read-only; {advice}"
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return f"{path}: no space left on the disk; free some or {advice}"
    return f"{path}: {error.strerror or error}; {advice}"


def _socket_bases() -> Iterator[Path]:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    # Root's own runtime folder is closed to the account that the server runs as.
    if runtime and os.geteuid() != 0 and Path(runtime).is_dir():
        yield Path(runtime)
    temporary = Path(tempfile.gettempdir())
    if os.geteuid() != 0 or _open_to_all(temporary):
        yield temporary


def _open_to_all(folder: Path) -> bool:
    return all(place.stat().st_mode & stat.S_IXOTH for place in (folder, *folder.parents))


def _for_owner_only(path: str, flags: int) -> int:
    return os.open(path, flags, mode=0o600)
