"""A Tallybook of its own for measurements: its server, and worker processes that are already up."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from django.conf import settings
from django.db import connection

from accounting.embedded.accounts import server_account
from accounting.embedded.binaries import find_binaries
from accounting.embedded.places import cluster_of
from accounting.embedded.processes import processes_in
from accounting.models import Organization, Project
from accounting.services.rollup_sums import ROLLUPS

ROOT = Path(__file__).parents[1]
TICKS = os.sysconf("SC_CLK_TCK")
EMPTIED = (
    "accounting_usageevent",
    *(rollup.table for rollup in ROLLUPS),
    "ingest_inboxchunk",
    "accounting_import",
)


class Worker:
    """A process that has started and waits for commands; see bench.ingest_worker."""

    def __init__(self) -> None:
        started = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.ingest_worker"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.answer()
        self.start_s = time.perf_counter() - started

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, **command: Any) -> None:
        """Give a command, without waiting."""
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """What became of the last command."""
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("a worker of the benchmark has died; what it wrote stands above")
        return json.loads(line)

    def done(self, **command: Any) -> dict[str, Any]:
        self.ask(**command)
        return self.answer()

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


@contextmanager
def workers(number: int) -> Iterator[list[Worker]]:
    """So many workers for the block."""
    found = [Worker() for _ in range(number)]
    try:
        yield found
    finally:
        for worker in found:
            worker.close()


def new_organization() -> Organization:
    """An organization of its own with a project to charge."""
    organization = Organization.objects.create(slug=f"bench-{time.time_ns()}", name="Bench")
    Project.objects.create(organization=organization, slug="default", name="Default")
    return organization


def empty_books() -> None:
    """Forget every event and import, so that each measured run finds the same empty tables."""
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {', '.join(EMPTIED)} CASCADE")
        cursor.execute("CHECKPOINT")


def server_pids() -> list[int]:
    """Every process of the private PostgreSQL."""
    cluster = cluster_of(settings.DATA_FOLDER)
    return processes_in(cluster, server_account(cluster))


def cpu_s(pids: Sequence[int]) -> float:
    """The CPU time that processes have taken so far, of all their threads."""
    total = 0
    for pid in pids:
        try:
            values = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        # Its own and that of children that have ended: a session's time is its server's then.
        total += sum(int(value) for value in values[11:15])
    return total / TICKS


def children_cpu_s() -> float:
    """The CPU time of this process's children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def psql(*statements: str) -> None:
    """Run statements by psql, as a person would."""
    database = settings.DATABASES["default"]
    commands = [part for statement in statements for part in ("-c", statement)]
    subprocess.run(
        [
            find_binaries().folder / "psql", "-q", "-X", "-v", "ON_ERROR_STOP=1",
            "-h", database["HOST"], "-U", database["USER"], "-d", database["NAME"], *commands,
        ],
        check=True,
    )  # fmt: skip


def told(name: str, value: str) -> None:
    """Print one figure."""
    print(f"  {name:58} {value}", flush=True)


def middle(values: Sequence[float]) -> float:
    return median(values)


def spread(values: Sequence[float], digits: int = 2) -> str:
    """The median, and all the values it is the median of."""
    return f"{median(values):.{digits}f}  ({', '.join(f'{value:.{digits}f}' for value in values)})"
