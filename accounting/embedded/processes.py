"""Which processes live in a cluster, whatever a pid file says."""

import os
from pathlib import Path

from accounting.embedded.accounts import Account


def postmaster_of(cluster: Path, account: Account) -> int | None:
    """The process id of the server of this cluster, or None.

    The number in postmaster.pid counts only if that process works in the cluster: after a crash
    or a restart of the machine the number may have gone to somebody else.
    """
    try:
        pid = int((cluster / "postmaster.pid").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return None
    return pid if _folder_of(pid, account) == str(cluster) else None


def processes_in(cluster: Path, account: Account) -> list[int]:
    """Every process that works in the cluster: the server and its backends, orphans too."""
    pids = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [pid for pid in pids if _folder_of(pid, account) == str(cluster)]


def _folder_of(pid: int, account: Account) -> str | None:
    link = f"/proc/{pid}/cwd"
    try:
        return str(Path(link).readlink())
    except PermissionError:
        # Root in a plain container may not look into processes of others; they themselves may.
        if os.geteuid() != 0:
            return None
        with account.acting():
            try:
                return str(Path(link).readlink())
            except OSError:
                return None
    except OSError:
        return None
