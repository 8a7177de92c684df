"""How fast a table leaves the real web server as a file, and how much memory that takes it.

    TALLYBOOK_DATA_DIR=… python -m bench.exports [ROWS] [--layouts csv,json]

Single requests, over HTTP, through the gate; the reader keeps nothing. ROWS: 1,000,000 unless told.
Memory is that of the whole worker process of the server: before, and at most while it answers.
"""

import argparse
import http.client
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from accounting.embedded.ports import page_answers  # noqa: E402
from accounting.embedded.server import PrivateServer  # noqa: E402
from accounting.management.commands.up import web_command  # noqa: E402
from accounting.models import ApiKey, Project, UsageEvent  # noqa: E402
from accounting.services.tenants import create_api_key  # noqa: E402
from bench.books import filled  # noqa: E402

SPAN = "from=2026-09-01&to=2026-12-01"
PIECE_BYTES = 65_536
START_S = 60
MIB = 2**20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--layouts", default="csv,json")
    given = parser.parse_args()
    with PrivateServer(settings.DATA_FOLDER).use():
        key = new_key(given.rows)
        connection.close()
        with web_server() as pid:
            for layout in given.layouts.split(","):
                print(measured(layout, key, pid), flush=True)
    return 0


def new_key(rows: int) -> str:
    """A key of the books with so many events."""
    organization = filled(rows)
    count = UsageEvent.objects.of(organization.pk).count()
    print(f"{count:,} events in the books", flush=True)
    ApiKey.objects.of(organization.pk).filter(name="bench-exports").delete()
    project = Project.objects.of(organization.pk).earliest("pk")
    return create_api_key(
        organization_id=organization.pk,
        project_id=project.pk,
        name="bench-exports",
        scopes=["read"],
    )


def measured(layout: str, key: str, pid: int) -> str:
    """One export, in words."""
    before = memory(pid)
    most, size, lines, first_s = before, 0, 0, 0.0
    began = time.perf_counter()
    asking = http.client.HTTPConnection("127.0.0.1", settings.WEB_PORT, timeout=600)
    asking.request("GET", f"/api/v1/exports/requests.{layout}?{SPAN}", headers={"X-Api-Key": key})
    answer = asking.getresponse()
    if answer.status != http.HTTPStatus.OK:
        raise RuntimeError(f"{answer.status}: {answer.read(500)!r}")
    pieces = 0
    while piece := answer.read(PIECE_BYTES):
        first_s = first_s or time.perf_counter() - began
        size += len(piece)
        lines += piece.count(b"\n")
        pieces += 1
        if pieces % 100 == 1:
            most = max(most, memory(pid))
    took_s = time.perf_counter() - began
    asking.close()
    return (
        f"{layout}: {lines:,} lines, {size / MIB:,.0f} MiB in {took_s:.1f} s:"
        f" {lines / took_s:,.0f} rows/s; first bytes after {first_s:.2f} s;"
        f" memory {before / MIB:.0f} MiB before, {most / MIB:.0f} MiB at most"
    )


def memory(pid: int) -> int:
    """Bytes of a process and of those it started."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    own = int(found[1]) * 1024 if found else 0
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(memory(int(child)) for child in children)


@contextmanager
def web_server() -> Iterator[int]:
    """The process of the real server, on the port that the settings say."""
    with subprocess.Popen([sys.executable, *web_command()[1:]]) as web:
        try:
            ends_at = time.monotonic() + START_S
            while not page_answers("127.0.0.1", settings.WEB_PORT, "/readyz"):
                if time.monotonic() > ends_at:
                    raise RuntimeError("the web server does not answer")
                time.sleep(0.1)
            yield web.pid
        finally:
            web.terminate()


if __name__ == "__main__":
    sys.exit(main())
