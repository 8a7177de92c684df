"""Measures the doors of a whole Tallybook: pushes of several sizes, the upload, and when it is seen."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from itertools import islice
from pathlib import Path

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from django.utils import timezone

from accounting.management.commands.up import children
from accounting.models import Import, Membership, Project
from accounting.services.tenants import create_api_key
from bench.clients import HOST, Client, pushed
from bench.generators import gateway_lines, write_gateway_log
from bench.ingest_rig import ROOT, cpu_s, empty_books, new_organization, server_pids, spread, told

CLIENTS = 8
TOKEN = "b" * 32
SEEN_PUSHES = 60


def pushes(*, rounds: int, seconds: float) -> None:
    """Print pushes that were accepted a second, in turns with those that the null endpoint answers.

    Each client is of an organization of its own: of one, so many pushes may not wait. Nothing is read
    meanwhile. Those that name their format spare the server the look that would tell it.
    """
    keys = [_key_of(new_organization().pk) for _ in range(CLIENTS)]
    with ExitStack() as stack:
        real = stack.enter_context(web())
        null = stack.enter_context(web("bench.null_endpoint:application"))
        for port in (real, null):  # the first request imports what it needs
            Client(port, keys[0]).push(next(_bodies(1, 999)))
        for size, wanted in ((100, 100_000), (1_000, 200_000), (1, None)):
            found: dict[str, list[float]] = {"accepted": [], "named": [], "null": []}
            for number in range(rounds):
                for name, port, query in (
                    ("accepted", real, ""),
                    ("named", real, "?format=litellm_spend_logs"),
                    ("null", null, ""),
                ):
                    bodies = _bodies(size, number)
                    rate = pushed(port, keys, bodies, seconds=seconds, query=query)
                    found[name].append(rate * size)
                    empty_inbox()
            goal = f"   wanted ≥ {wanted:,}" if wanted else ""
            told(
                f"accepted in batches of {size:,}, events/s",
                f"{spread(found['accepted'], 0)}{goal}",
            )
            told("  the same by pushes that name their format", spread(found["named"], 0))
            told("  the null endpoint, events/s", spread(found["null"], 0))
            goal = "   wanted ≥ 0.28" if size == 1 else ""
            for name in ("accepted", "named"):
                pairs = zip(found[name], found["null"], strict=True)
                told(f"  {name} / null", f"{spread([one / other for one, other in pairs])}{goal}")


def upload(folder: Path, *, events: int, rounds: int) -> None:
    """Print how fast an uploaded file is in the books, from the first byte to the last event."""
    few, log = folder / "few.jsonl", folder / "upload.jsonl"
    write_gateway_log(few, 1_000, seed=8)
    write_gateway_log(log, events)
    rates, kept, cpu = [], [], []
    with whole_tallybook() as (port, pids):
        _uploaded(port, few)  # the first one imports what it needs
        for _ in range(rounds):
            empty_books()
            before = cpu_s([*_with_children(pids), *server_pids()])
            started = time.perf_counter()
            accepted_s, recorded = _uploaded(port, log)
            rates.append(events / (time.perf_counter() - started))
            kept.append(accepted_s)
            used = cpu_s([*_with_children(pids), *server_pids()]) - before
            cpu.append(used / events * 1e6)
            if recorded != events:
                raise RuntimeError(f"{recorded} of {events} events were recorded")
    told("upload through the page's door, events/s", f"{spread(rates, 0)}   must be ≥ 10,000")
    told("  of it kept after, s", spread(kept, 1))
    told("  µs CPU per event, web, workers, beat and server", spread(cpu, 1))
    few.unlink()
    log.unlink()


def _uploaded(port: int, log: Path) -> tuple[float, int]:
    """Upload a file for a new organization and wait for its end; seconds until 201, events recorded."""
    cookie = _signed_in(new_organization().pk)
    line = http.client.HTTPConnection(HOST, port, timeout=600)
    headers = {
        "Cookie": cookie,
        "X-CSRFToken": TOKEN,
        "Content-Type": "application/octet-stream",
        "Content-Length": str(log.stat().st_size),
        "Accept": "application/json",
    }
    started = time.perf_counter()
    with log.open("rb") as body:
        line.request("POST", "/imports/upload?name=gateway.jsonl", body, headers)
        told_by = json.loads(line.getresponse().read())
    accepted_s = time.perf_counter() - started
    line.close()
    return accepted_s, _done(told_by["import_id"]).recorded


def seen() -> None:
    """Print how long it takes from a push's 202 until its events are in the books."""
    empty_books()
    organization = new_organization()
    key = _key_of(organization.pk)
    waits = []
    with whole_tallybook() as (port, _):
        client = Client(port, key)
        bodies = _bodies(10, 7)
        _done(json.loads(client.push(next(bodies)))["import_id"])  # until the workers are up
        for body in islice(bodies, SEEN_PUSHES):
            import_id = json.loads(client.push(body))["import_id"]
            accepted = time.perf_counter()
            _done(import_id, pause_s=0.01)
            waits.append(time.perf_counter() - accepted)
            time.sleep(0.05)
        client.close()
    waits.sort()
    p95 = waits[int(len(waits) * 0.95)]
    told(
        "accepted → visible, s", f"p50 {waits[len(waits) // 2]:.2f}, p95 {p95:.2f}   wanted p95 ≤ 2"
    )


@contextmanager
def web(application: str = "") -> Iterator[int]:
    """A web server for the block, as `make run` starts one; its port."""
    (command,) = (child.command for child in children() if child.name == "web")
    with _running((*command[:-1], application or command[-1])) as (port, _):
        yield port


@contextmanager
def whole_tallybook() -> Iterator[tuple[int, list[int]]]:
    """Web server, worker and beat for the block, as `make run` starts them; the port, and their pids."""
    with ExitStack() as stack:
        pids: list[int] = []
        port = 0
        for child in children():
            found, pid = stack.enter_context(_running(child.command))
            port = found or port
            pids.append(pid)
        yield port, pids


@contextmanager
def _running(command: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """A program for the block; the port it has opened, 0 for one without, and its pid."""
    words, port = list(command), 0
    if "--port" in words:
        port = _free_port()
        words[words.index("--port") + 1] = str(port)
    process = subprocess.Popen(words, cwd=ROOT, start_new_session=True, stdout=subprocess.DEVNULL)
    try:
        while port and not _is_open(port):
            if process.poll() is not None:
                raise RuntimeError(f"{words} has ended")
            time.sleep(0.05)
        yield port, process.pid
    finally:
        # To the parent alone, as the supervisor does: a worker's children end with what they are at.
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _bodies(size: int, seed: int) -> Iterator[bytes]:
    """Pushes of so many new lines each, made as they are asked for, by one client at a time."""
    now = timezone.now() - timedelta(days=1)
    lines = gateway_lines(50_000_000, seed=1_000 + seed, start=now)
    made = [b"".join(islice(lines, size)) for _ in range(min(2_000, 400_000 // size))]
    lock = threading.Lock()

    def endless() -> Iterator[bytes]:
        while True:
            yield from made

    bodies = endless()

    class Locked:
        def __iter__(self) -> "Locked":
            return self

        def __next__(self) -> bytes:
            with lock:
                return next(bodies)

    return iter(Locked())


def empty_inbox() -> None:
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE ingest_inboxchunk, accounting_import CASCADE")


def _done(import_id: int, *, pause_s: float = 0.05) -> Import:
    while True:
        source = Import.objects.get(pk=import_id)
        if source.state == "done":
            return source
        if source.state in {"failed", "quarantined"}:
            raise RuntimeError(f"import {import_id}: {source.reason}")
        time.sleep(pause_s)


def _key_of(organization_id: int) -> str:
    project = Project.objects.of(organization_id).get()
    return create_api_key(
        organization_id=organization_id, project_id=project.pk, name="bench", scopes=["ingest"]
    )


def _signed_in(organization_id: int) -> str:
    """The cookies of an owner's session."""
    user = User.objects.create_user(f"bench-{time.time_ns()}")
    Membership.objects.create(organization_id=organization_id, user=user, role="owner")
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return f"sessionid={session.session_key}; csrftoken={TOKEN}"


def _with_children(pids: list[int]) -> list[int]:
    found = list(pids)
    for pid in found:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    return found


def _free_port() -> int:
    with socket.socket() as free:
        free.bind((HOST, 0))
        port: int = free.getsockname()[1]
        return port


def _is_open(port: int) -> bool:
    with socket.socket() as line:
        return line.connect_ex((HOST, port)) == 0


assert sys.platform == "linux", "the benchmark reads /proc"
