"""The account the private server runs as: ourselves, or a harmless one when we are root.

PostgreSQL refuses to run as root, so root starts it as `nobody`, or as the owner of a cluster that
already exists.
"""

import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from accounting.embedded.errors import ServerError

HARMLESS = "nobody"


class SubprocessAccount(TypedDict, total=False):
    """The arguments of subprocess that change the account; empty when it stays the same."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A user and group of this machine, without supplementary groups."""

    uid: int
    gid: int

    @property
    def is_other(self) -> bool:
        """Whether a process must change its account to become this one."""
        return self.uid != os.geteuid()

    def for_subprocess(self) -> SubprocessAccount:
        """What subprocess needs to run a program as this account."""
        if not self.is_other:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, path: Path) -> None:
        """Give the path to this account."""
        if self.is_other:
            os.chown(path, self.uid, self.gid)

    def may_pass(self, folder: Path) -> bool:
        """Whether this account can reach what lies in the folder, judged by permission bits."""
        return all(self._may_search(place.stat()) for place in (folder, *folder.parents))

    @contextmanager
    def acting(self) -> Iterator[None]:
        """Take on this account for file access, for a moment; only root can."""
        if not self.is_other:
            yield
            return
        uid, gid = os.geteuid(), os.getegid()
        os.setegid(self.gid)
        os.seteuid(self.uid)
        try:
            yield
        finally:
            os.seteuid(uid)
            os.setegid(gid)

    def _may_search(self, found: os.stat_result) -> bool:
        if found.st_uid == self.uid:
            return bool(found.st_mode & stat.S_IXUSR)
        if found.st_gid == self.gid:
            return bool(found.st_mode & stat.S_IXGRP)
        return bool(found.st_mode & stat.S_IXOTH)


def server_account(cluster: Path) -> Account:
    """Who runs the server of this cluster, which need not exist yet.

    Raises ServerError when the cluster belongs to somebody we can't become.
    """
    owner = cluster.stat() if cluster.exists() else None
    if os.geteuid() != 0:
        if owner and owner.st_uid != os.geteuid():
            raise ServerError(
                f"{cluster} belongs to user {owner.st_uid}, we are {os.geteuid()}:"
                " run as that user or as root, or set TALLYBOOK_DATA_DIR to another folder"
            )
        return Account(uid=os.geteuid(), gid=os.getegid())
    if owner and owner.st_uid != 0:
        return Account(uid=owner.st_uid, gid=owner.st_gid)
    try:
        entry = pwd.getpwnam(HARMLESS)
    except KeyError:
        raise ServerError(
            f"PostgreSQL does not run as root, and this machine has no user {HARMLESS!r}:"
            " run as an ordinary user"
        ) from None
    return Account(uid=entry.pw_uid, gid=entry.pw_gid)
