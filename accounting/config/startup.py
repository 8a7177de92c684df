"""Runs a command with what it needs; in embedded mode that is the private PostgreSQL.

So every command works on an empty folder, alone, beside `make run`, and several at once.
"""

import hashlib
import os
import signal
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path
from types import FrameType

from accounting.config.environment import (
    BadSettingError,
    data_folder,
    number,
    refuse_wrong,
    setting,
)
from accounting.embedded.errors import EmbeddedError
from accounting.embedded.folders import DataFolder
from accounting.embedded.locks import claimed
from accounting.embedded.ports import refuse_taken
from accounting.embedded.server import PrivateServer, tell

ROOT = Path(__file__).parents[2]
WITHOUT_DATABASE = frozenset(
    {
        "check",
        "collectstatic",
        "compilemessages",
        "diffsettings",
        "findstatic",
        "help",
        "makemessages",
        "makemigrations",
        "spectacular",
        "startapp",
        "version",
    }
)
# They may leave the database behind the code, so the next command must look again.
UNDOES_PREPARATION = frozenset({"flush", "migrate"})


def main(argv: Sequence[str]) -> None:
    """Run one command of manage.py; messages for a person go to standard error."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")
    for ending in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ending) is not signal.SIG_IGN:
            signal.signal(ending, _leave)
    try:
        with _what_it_needs(argv):
            # Reads the settings, which are right only when the server is there.
            from django.core.management import execute_from_command_line  # noqa: PLC0415
            from django.db import OperationalError  # noqa: PLC0415

            try:
                execute_from_command_line(list(argv))
            except OperationalError as error:
                tell(f"the database does not answer: {str(error).splitlines()[0]}")
                sys.exit(1)
    except (EmbeddedError, BadSettingError) as error:
        tell(str(error))
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def preparation_stamp() -> str:
    """What the database must have been prepared for: migrations, built-in prices, version."""
    apps = ("accounting", "ingest")
    migrations = sorted(
        f"{app}/{file.name}" for app in apps for file in (ROOT / app / "migrations").glob("*.py")
    )
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    parts = [*migrations, version("django"), version("genai-prices"), ours]
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()


@contextmanager
def _what_it_needs(argv: Sequence[str]) -> Iterator[None]:
    refuse_wrong()
    command = argv[1] if len(argv) > 1 else "help"
    with ExitStack() as needs:
        embedded = not setting("DATABASE_URL")
        folder = DataFolder(data_folder())
        asks_for_help = {"-h", "--help", "--version"} & set(argv)
        if command == "up" and not asks_for_help:
            if embedded:
                folder.make()
                needs.enter_context(claimed(folder.path))
            refuse_taken(setting("TALLYBOOK_HOST"), number("TALLYBOOK_PORT"))
        if embedded and not asks_for_help and command not in WITHOUT_DATABASE:
            needs.enter_context(_server_for(command, folder))
        yield


@contextmanager
def _server_for(command: str, folder: DataFolder) -> Iterator[None]:
    server = PrivateServer(folder)
    if command not in UNDOES_PREPARATION:
        with server.use(prepare=_prepare, stamp=preparation_stamp()):
            yield
        return
    with server.use():
        server.forget_preparation()
        yield


def _prepare() -> None:
    # Both need Django, which most commands of the command line do not set up this early.
    import django  # noqa: PLC0415

    django.setup()
    from django.db import connections  # noqa: PLC0415

    from accounting.management.preparation import prepare_database  # noqa: PLC0415

    tell("preparing the database")
    prepare_database()
    connections.close_all()


def _leave(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)
