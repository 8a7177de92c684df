"""Measures every question of one size of books; prints one JSON object for each.

    TALLYBOOK_DATA_DIR=… python -m bench.queries_measured [--turns N] [--only WORDS] [--importing]

--importing: asks while a worker posts new requests into the same books. Statements are timed by the
client, with all of their rows fetched.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from accounting.embedded.server import PrivateServer  # noqa: E402
from accounting.models import Organization  # noqa: E402
from bench.books import SLUG  # noqa: E402
from bench.queries_asked import QUESTIONS, RAW, RAW_SPAN, SLOW, Asked  # noqa: E402

TURNS = 20
SLOW_TURNS = 3
#: Until a worker has started to post.
WARMING_S = 5


class Stopwatch:
    """Adds up what statements take, in ms, and counts them."""

    def __init__(self) -> None:
        self.took_ms, self.statements = 0.0, 0

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, *rest: Any) -> Any:
        started = time.perf_counter()
        try:
            return execute(sql, params, *rest)
        finally:
            self.took_ms += (time.perf_counter() - started) * 1000
            self.statements += 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--only", default="")
    parser.add_argument("--importing", action="store_true")
    asked = parser.parse_args()
    with ExitStack() as stack:
        if settings.EMBEDDED:
            stack.enter_context(PrivateServer(settings.DATA_FOLDER).use())
        organization = Organization.objects.get(slug=SLUG)
        questions = [each for each in QUESTIONS if asked.only in each.name]
        if asked.importing:
            questions = [each for each in questions if each.served != SLOW]
            stack.enter_context(importing())
        for each in questions:
            print(json.dumps(measured(each, organization, asked.turns)), flush=True)
        if not asked.only and not asked.importing:
            print(json.dumps(raw(organization)), flush=True)
    return 0


def measured(asked: Asked, organization: Organization, turns: int) -> dict[str, Any]:
    """p50 and p95 of a question's SQL and of the whole of it, in ms, after one turn to warm up."""
    times, walls, statements = [], [], 0
    for turn in range(1 + (SLOW_TURNS if asked.served == SLOW else turns)):
        watch, started = Stopwatch(), time.perf_counter()
        with connection.execute_wrapper(watch):
            asked.ask(organization, turn)
        if turn:
            times.append(watch.took_ms)
            walls.append((time.perf_counter() - started) * 1000)
            statements = max(statements, watch.statements)
    return {
        "name": asked.name, "served": asked.served, "statements": statements,
        "p50": at(times, 50), "p95": at(times, 95), "wall_p95": at(walls, 95),
    }  # fmt: skip


def raw(organization: Organization) -> dict[str, Any]:
    """What the same month costs without rollups."""
    times = []
    with connection.cursor() as cursor:
        for _ in range(SLOW_TURNS):
            started = time.perf_counter()
            cursor.execute(RAW, {"organization": organization.pk, **RAW_SPAN})
            cursor.fetchall()
            times.append((time.perf_counter() - started) * 1000)
    return {
        "name": "raw GROUP BY, 30 days: day x model", "served": "raw", "statements": 1,
        "p50": at(times, 50), "p95": at(times, 95), "wall_p95": at(times, 95),
    }  # fmt: skip


def at(times: list[float], percent: int) -> float:
    """The time that so many percent don't exceed."""
    return round(sorted(times)[min(len(times) - 1, len(times) * percent // 100)], 1)


@contextmanager
def importing() -> Iterator[None]:
    """Let a worker post into the books while the block runs."""
    worker = subprocess.Popen([sys.executable, "-m", "bench.queries_import"])
    try:
        time.sleep(WARMING_S)
        yield
    finally:
        worker.terminate()
        worker.wait()


if __name__ == "__main__":
    sys.exit(main())
