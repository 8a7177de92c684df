"""The promises that only real processes can break: a worker that is killed, a server's memory."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.db import connection

from accounting.models import Import
from ingest.formats import cutting
from ingest.models import InboxChunk
from ingest.services import receive
from ingest.services.receive import Sender, receive_upload
from ingest.tasks.bell import READ_INBOX, app
from tests.ingest.conftest import counted, event, ndjson

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

ROOT = Path(__file__).parents[2]
WORKER = ["-m", "celery", "--app", "accounting.config.celery", "worker", "--concurrency", "1"]
QUIET = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "error"]
MEGABYTE = 1_000_000


@contextmanager
def program(*arguments):
    """A process of ours on the test's database, in a group of its own, killed at the end."""
    environment = {**os.environ, "DATABASE_URL": database_url()}
    environment["TALLYBOOK_DATA_DIR"] = os.environ["TALLYBOOK_DATA_DIR"]
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", *arguments],
        env=environment,
        cwd=ROOT,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):  # it has ended by itself
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def database_url():
    """The address of the test's own database."""
    known = connection.settings_dict
    place = f"{quote(known['HOST'], safe='')}{':' + str(known['PORT']) if known['PORT'] else ''}"
    return f"postgres://{known['USER']}:{known['PASSWORD']}@{place}/{known['NAME']}"


def wait_until(is_so, *, seconds=90):
    ends_at = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < ends_at, "it took too long"
        time.sleep(0.02)


def done_chunks():
    return InboxChunk.objects.filter(state="done").count()


def test_a_worker_that_is_killed_in_the_middle_costs_nothing(books, monkeypatch, tmp_path):
    monkeypatch.setattr(receive, "cut", lambda *where: cutting.cut(*where, 100_000))
    path = tmp_path / "a.jsonl"
    path.write_bytes(ndjson(*(event(n % 15_000) for n in range(20_000))))
    sender = Sender(organization_id=books.pk, name="a.jsonl")
    with path.open("rb") as stream:
        size = path.stat().st_size
        receive_upload(sender=sender, stream=stream, limit=10**9, expected=size)
    chunks = InboxChunk.objects.count()
    assert chunks > 20
    for killed_after in (2, chunks // 2):
        with program(*WORKER, *QUIET):
            app.send_task(READ_INBOX)
            wait_until(lambda after=killed_after: done_chunks() >= after)
        assert done_chunks() < chunks

    def is_done():
        app.send_task(READ_INBOX)
        time.sleep(0.5)
        return Import.objects.get().state == "done"

    with program(*WORKER, *QUIET):
        wait_until(is_done)
    source = Import.objects.get()
    assert (source.lines, source.recorded, source.duplicates) == (20_000, 15_000, 5_000)
    assert source.change["input_tokens"] == 1_500_000
    assert counted() == (15_000, 1_500_000)


def test_a_worker_whose_idle_child_is_killed_goes_on_reading(push):
    """As by a system without memory. A lock that children shared would be gone with it, for all of them."""
    with program(*WORKER, *QUIET) as worker:
        for number in range(1, 5):
            push(ndjson(event(number)))
            app.send_task(READ_INBOX)
            wait_until(lambda done=number: done_chunks() == done)
            time.sleep(1)  # now it waits again
            for child in family(worker.pid)[1:]:
                os.kill(int(child), signal.SIGKILL)
    assert counted() == (4, 400)


def test_a_file_of_300_megabytes_does_not_fill_the_memory_of_the_server(books, client):
    client.force_login(User.objects.get(username="owner"))
    session = client.cookies["sessionid"].value
    lines = ndjson(*(event(n) for n in range(5_000)))
    times = 300 * MEGABYTE // len(lines) + 1
    port = free_port()
    serve = ["-m", "granian", "--interface", "asginl", "--host", "127.0.0.1", "--port", str(port)]
    quiet = ["--workers", "1", "--log-level", "warning"]
    with program(*serve, *quiet, "accounting.config.asgi:application") as server:
        wait_until(lambda: is_open(port))
        status, text = sent(port, session, lines, times)
        peaks = [peak_megabytes(pid) for pid in family(server.pid)]
    assert status == 201, text
    assert 20 < max(peaks) < 200, peaks
    source = Import.objects.get()
    assert (source.state, source.size) == ("ready", times * len(lines))
    kept = sum(InboxChunk.objects.values_list("size", flat=True))
    assert kept == source.size


def sent(port, session, lines, times):
    token = "a" * 32
    headers = {
        "Content-Type": "application/octet-stream",
        "Content-Length": str(times * len(lines)),
        "Cookie": f"sessionid={session}; csrftoken={token}",
        "X-CSRFToken": token,
    }
    body = (lines for _ in range(times))
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=240)) as server:
        server.request("POST", "/imports/upload?name=big.jsonl", body, headers)
        answer = server.getresponse()
        return answer.status, answer.read()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def family(pid):
    """The process and its children, whichever of its threads made them."""
    found = Path(f"/proc/{pid}/task").glob("*/children")
    children = [child for file in found for child in file.read_text().split()]
    return [pid, *(found for child in children for found in family(int(child)))]


def peak_megabytes(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) // 1024
    return 0
