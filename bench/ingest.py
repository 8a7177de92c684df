"""Measures taking in logs, each figure beside what it is compared with: `make bench`.

    python -m bench.ingest [PART …]

Parts: gateway, folder, pushes, upload, seen; and late and big, which make a table of ten million
events and a file of 5 GB. Without a part all but those two. In a data folder of its own, removed at the end.
BENCH_EVENTS (200000), BENCH_ROUNDS (5), BENCH_FOLDER_MB (500), BENCH_SECONDS (4) of each push run,
BENCH_STORED (10000000), BENCH_FILE_MB (5000) and BENCH_FOLDER, where it all lies, change the size.
"""

import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

FOLDER = Path(tempfile.mkdtemp(prefix="tallybook-bench-", dir=os.environ.get("BENCH_FOLDER")))
os.environ["TALLYBOOK_DATA_DIR"] = str(FOLDER / "books")
os.environ.pop("DATABASE_URL", None)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")

import django  # noqa: E402

django.setup()

from django.conf import settings  # noqa: E402

from accounting.embedded.server import PrivateServer  # noqa: E402
from accounting.management.preparation import prepare_database  # noqa: E402
from bench import ingest_doors, ingest_folder, ingest_gateway, ingest_large  # noqa: E402

USUAL = ("gateway", "folder", "pushes", "upload", "seen")
LARGE = ("late", "big")


def number(name: str, usual: int) -> int:
    """A size out of the environment."""
    return int(os.environ.get(f"BENCH_{name}", usual))


def main() -> int:
    """Do the parts; exit 2 for a part that is none."""
    parts = sys.argv[1:] or USUAL
    unknown = [part for part in parts if part not in (*USUAL, *LARGE)]
    if unknown:
        print(f"no part {unknown[0]!r}; there are {', '.join((*USUAL, *LARGE))}", file=sys.stderr)
        return 2
    FOLDER.chmod(0o755)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what it started is stopped
    try:
        with PrivateServer(settings.DATA_FOLDER).use():
            started = time.perf_counter()
            prepare_database()
            print(f"a database made and prepared in {time.perf_counter() - started:.1f} s")
            for part in parts:
                measure(part)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
    return 0


def measure(part: str) -> None:
    """Do one part."""
    events, rounds = number("EVENTS", 200_000), number("ROUNDS", 5)
    print(f"\n{part}")
    match part:
        case "gateway":
            ingest_gateway.measure(FOLDER, events=events, rounds=rounds)
        case "folder":
            size = number("FOLDER_MB", 500) * 1_000_000
            ingest_folder.measure(FOLDER, size=size, rounds=rounds)
        case "pushes":
            ingest_doors.pushes(rounds=rounds, seconds=number("SECONDS", 4))
        case "upload":
            ingest_doors.upload(FOLDER, events=events, rounds=rounds)
        case "seen":
            ingest_doors.seen()
        case "late":
            ingest_large.late_day(
                FOLDER, stored=number("STORED", 10_000_000), events=events // 2, rounds=rounds
            )
        case "big":
            ingest_large.big_file(FOLDER, size=number("FILE_MB", 5_000) * 1_000_000)


if __name__ == "__main__":
    sys.exit(main())
