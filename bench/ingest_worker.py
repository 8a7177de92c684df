"""A worker of the benchmark: starts, says so, and does one command after the other.

A command is a line of JSON on standard input: {"path": …, "organization": …} reads a log by its path,
{"upload": …} keeps a file in the inbox and reads it, {"folder": …} looks at a watched folder. The answer
is a line of JSON with what it took.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")
django.setup()

from django.db import connection  # noqa: E402

from ingest.services.paths import read_path  # noqa: E402
from ingest.services.reading import read_import, read_waiting  # noqa: E402
from ingest.services.receive import Sender, receive_upload  # noqa: E402
from ingest.services.results import result_of  # noqa: E402
from ingest.services.watching import look  # noqa: E402

FOR_EVER = 24 * 3600.0


def main() -> None:
    """Answer until standard input ends."""
    connection.ensure_connection()
    answer({"is_up": True})
    for line in sys.stdin:
        command = json.loads(line)
        wall, cpu = time.perf_counter(), time.process_time()
        found = done(command)
        answer(
            {
                **found,
                "wall_s": time.perf_counter() - wall,
                "cpu_s": time.process_time() - cpu,
                "rss_mb": peak_mb(),
            }
        )


def done(command: dict[str, Any]) -> dict[str, Any]:
    """Do a command; the lines it read and how many of them were recorded."""
    if "folder" in command:
        (seen,) = look(seconds=FOR_EVER, folder_ids=[command["folder"]])
        counts = seen.counts
        return {"bytes": counts["bytes"], "lines": counts["lines"], "recorded": counts["recorded"]}
    if "wait" in command:
        read_waiting(seconds=command["wait"])
        return {}
    sender = Sender(organization_id=command["organization"], name="gateway.jsonl")
    if "upload" in command:
        path = Path(command["upload"])
        with path.open("rb") as log:
            receipt = receive_upload(
                sender=sender, stream=log, limit=2**40, expected=path.stat().st_size
            )
        result = result_of(read_import(receipt.import_id, seconds=FOR_EVER))
    else:
        result = read_path(command["path"], sender=sender)
    return {"lines": result.lines, "recorded": result.recorded, "state": result.state}


def peak_mb() -> float:
    """The most memory this process had. Its rusage would tell that of the one it was forked from too."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def answer(values: dict[str, Any]) -> None:
    print(json.dumps(values), flush=True)


if __name__ == "__main__":
    main()
