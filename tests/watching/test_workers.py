"""Real workers that look at one folder at once, and one that is killed while it reads."""

import json
import signal

import pytest

from accounting.models import Import
from ingest.models import WatchedFile
from ingest.services.leases import Lease, is_any_held
from tests.ingest.conftest import books, counted, event, ndjson
from tests.ingest.test_processes import program, wait_until
from tests.watching.conftest import append, folder, watched

__all__ = ["books", "folder", "watched"]
pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


#: Long lines, so that few of them make several transactions.
LINES = 6_000


@pytest.fixture
def log(folder):
    body = ndjson(*(json.dumps(event(n)) + " " * 2_000 for n in range(LINES)))
    return append(folder / "a.jsonl", body)


def looking():
    return program("manage.py", "watch", "now", "--json")


def test_of_two_workers_one_reads_and_no_line_is_read_twice(watched, log):
    with looking() as one, looking() as two:
        wait_until(lambda: one.poll() is not None and two.poll() is not None)
    all_is_read_once()


def test_a_worker_that_is_killed_in_the_middle_of_a_file_costs_nothing(watched, log):
    with looking() as one:
        wait_until(lambda: WatchedFile.objects.filter(offset__gt=0).exists())
        one.send_signal(signal.SIGKILL)
        one.wait()
    assert 0 < WatchedFile.objects.get().offset < log.stat().st_size
    wait_until(lambda: not is_any_held(Lease.FOLDER))  # PostgreSQL needs a moment to notice
    with looking() as two:
        wait_until(lambda: two.poll() is not None)
    all_is_read_once()


def all_is_read_once():
    source = Import.objects.get()
    assert (source.lines, source.recorded, source.duplicates) == (LINES, LINES, 0)
    assert counted() == (LINES, LINES * 100)
