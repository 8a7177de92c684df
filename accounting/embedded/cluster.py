"""Makes a database cluster and says how its server is started."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from accounting.embedded.accounts import Account
from accounting.embedded.binaries import Binaries
from accounting.embedded.errors import ServerError

DATABASE = "tallybook"
USER = "tallybook"
BUILTIN_LOCALES_SINCE = 17
OPTIONS = {
    "listen_addresses": "",
    "port": "5432",
    "dynamic_shared_memory_type": "mmap",  # containers give /dev/shm only 64 MB
    "jit": "off",
    # A month of sessions is sorted and grouped in memory; the usual 4 MB would go by way of the disk.
    "work_mem": "32MB",
    # The newest month's key index is looked into for every new event, and should fit. Memory that small
    # books do not touch is never taken.
    "shared_buffers": "512MB",
    # Each page that is written for the first time after a checkpoint is logged whole.
    "max_wal_size": "2GB",
    # Who asked reads too: one more process than there are cores makes all of them slower.
    "max_parallel_workers_per_gather": str(min(2, (os.cpu_count() or 1) - 1)),
    "log_line_prefix": "%m [%p] ",
    # Statements and the details of errors may hold what stood in a log.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}


def make_cluster(binaries: Binaries, cluster: Path, account: Account) -> None:
    """Make an empty cluster with our database in it; it appears complete or not at all.

    Raises ServerError with what initdb said.
    """
    part = cluster.with_name(f"{cluster.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(mode=0o700)
    account.own(part)
    initdb = [str(binaries.folder / "initdb"), f"--pgdata={part}", *_initdb_options(binaries.major)]
    _run(initdb, account)
    single = [str(binaries.folder / "postgres"), "--single", "-D", str(part)]
    creation = f"CREATE DATABASE {DATABASE}\n"
    _run([*single, "-c", "exit_on_error=on", "postgres"], account, creation)
    part.rename(cluster)


def major_of(cluster: Path) -> int:
    """The major version of PostgreSQL that made the cluster."""
    return int((cluster / "PG_VERSION").read_text())


def server_command(
    binaries: Binaries, cluster: Path, socket_folder: Path, options: Mapping[str, str]
) -> list[str]:
    """The command line of the cluster's server; options add to or replace the usual ones."""
    wanted = {**OPTIONS, "unix_socket_directories": f'"{socket_folder}"', **options}
    given = [part for name, text in wanted.items() for part in ("-c", f"{name}={text}")]
    return [str(binaries.folder / "postgres"), "-D", str(cluster), *given]


def server_environment() -> dict[str, str]:
    """Our environment without PGPORT and its like, and with messages in English."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PG")}
    return {**kept, "LC_ALL": "C"}


def _initdb_options(major: int) -> list[str]:
    options = [
        f"--username={USER}",
        "--auth=trust",  # the socket's folder is closed to everybody else
        "--encoding=UTF8",
        "--data-checksums",
    ]
    if major >= BUILTIN_LOCALES_SINCE:
        return [*options, "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    return [*options, "--locale=C.UTF-8"]


def _run(command: list[str], account: Account, stdin: str = "") -> None:
    done = subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        env=server_environment(),
        **account.for_subprocess(),
    )
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip())[-600:]
        raise ServerError(f"{command[0]} failed ({done.returncode}): {said}")
