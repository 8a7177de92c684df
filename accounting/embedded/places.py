"""Where the cluster and the binaries lie when the server's account can't reach their own folders.

Root's server runs as another user. In a clone below a closed folder (0700) that user
reaches neither the binaries nor the data folder, so both get a place in /var/lib/tallybook.
"""

import shutil
import stat
import time
from dataclasses import replace
from pathlib import Path

from accounting.embedded.accounts import Account
from accounting.embedded.binaries import Binaries
from accounting.embedded.errors import ServerError
from accounting.embedded.folders import DataFolder, told_plainly

ELSEWHERE = Path("/var/lib/tallybook")
INSIDE = "postgres"
NOTE = "postgres_folder"


def cluster_of(folder: DataFolder) -> Path:
    """The cluster of this data folder, made or not: the one it notes, else the one inside."""
    try:
        return Path((folder.path / NOTE).read_text().strip())
    except FileNotFoundError:
        return folder.path / INSIDE


def place_for_cluster(folder: DataFolder, account: Account) -> Path:
    """The place where a new cluster should be made, with its parents.

    Raises ServerError when the data folder notes a cluster, for then it is lost, not missing.
    """
    note = folder.path / NOTE
    if note.exists():
        raise ServerError(
            f"{note} says that the books are in {cluster_of(folder)}, but there are none;"
            f" bring them back, or remove {note} to begin anew"
        )
    if account.may_pass(folder.path):
        return folder.path / INSIDE
    cluster = _elsewhere(folder) / INSIDE
    if cluster.exists():  # of a data folder that was removed; not ours to throw away
        cluster.rename(cluster.with_name(f"{INSIDE}.left-{int(time.time())}"))
    return cluster


def note_place(folder: DataFolder, cluster: Path) -> None:
    """Write down where the cluster is, unless it is inside the data folder."""
    if cluster.parent != folder.path:
        with told_plainly(folder.path):
            (folder.path / NOTE).write_text(f"{cluster}\n")


def check_reach(cluster: Path, account: Account) -> None:
    """Raise ServerError when the owner of an existing cluster can't get at it."""
    if not account.may_pass(cluster.parent):
        raise ServerError(
            f"user {account.uid}, who owns {cluster}, can't reach it:"
            " open each folder above it to others with `chmod o+x`"
        )


def reachable_binaries(binaries: Binaries, folder: DataFolder, account: Account) -> Binaries:
    """These binaries, or a copy of them that the account can reach."""
    if account.may_pass(binaries.folder):
        return binaries
    prefix = binaries.folder.parent
    target = _elsewhere(folder) / f"postgresql-{binaries.version}"
    if not target.exists():
        part = target.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        # The binaries look for their libraries in ../../../<package>.libs, so the copy keeps
        # that shape.
        package = prefix.parent
        with told_plainly(part):
            for name in ("bin", "lib", "share"):
                if (prefix / name).is_dir():
                    copied = part / package.name / prefix.name / name
                    shutil.copytree(prefix / name, copied, symlinks=True)
            libraries = package.with_name(f"{package.name}.libs")
            if libraries.is_dir():
                shutil.copytree(libraries, part / libraries.name, symlinks=True)
            _open_for_reading(part)
            part.rename(target)
    return replace(binaries, folder=target / prefix.parent.name / prefix.name / "bin")


def _elsewhere(folder: DataFolder) -> Path:
    place = ELSEWHERE / folder.digest
    with told_plainly(place):
        for made in (ELSEWHERE, place):
            made.mkdir(exist_ok=True)
            made.chmod(0o711)
    return place


def _open_for_reading(tree: Path) -> None:
    for path in (tree, *tree.rglob("*")):
        if path.is_symlink():
            continue
        mode = path.stat().st_mode
        enter = 0o111 if path.is_dir() or mode & stat.S_IXUSR else 0
        path.chmod(stat.S_IMODE(mode) | 0o444 | enter)
