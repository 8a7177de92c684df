"""Clients that push batches with overlaps and replays, and keep a journal of what was promised."""

import http.client
import json
import random
import threading
import time
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from tests.chaos.processes import wait_until

START = datetime(2026, 10, 30, tzinfo=UTC)
PATH = "/api/v1/events"
#: An event is told with this many output tokens more each time it has grown.
GROWTH = 7
TIMEOUT_S = 40


def event(number, version=0):
    """Usage number n, as it is told for the version-th time; all of it follows from the two.

    The starts lie on both sides of a month's edge and in many hours.
    """
    return {
        "id": f"chaos-{number}",
        "started_at": (START + timedelta(minutes=number % 4_000)).isoformat(),
        "provider": "openai",
        "model": ("gpt-4o", "gpt-4o-mini")[number % 2],
        "session_id": f"s-{number % 500}",
        "input_tokens": 100 + number % 900,
        "cache_read_input_tokens": number % 100,
        "output_tokens": 10 + number % 50 + version * GROWTH,
        "tags": {"team": f"t{number % 7}"},
    }


@dataclass(slots=True, kw_only=True)
class Journal:
    """What clients sent, and what they were promised: event number -> greatest version."""

    sent: dict[int, int] = field(default_factory=dict)
    promised: dict[int, int] = field(default_factory=dict)
    imports: dict[str, int] = field(default_factory=dict)
    answers: Counter = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def send(self, batch):
        with self._lock:
            _raise(self.sent, batch)

    def answered(self, answer, text, batch, key):
        """Note an answer; what is neither a promise nor a request to come again is wrong."""
        status = answer.status
        with self._lock:
            self.answers[status] += 1
            if status in {200, 202}:
                _raise(self.promised, batch)
                import_id = json.loads(text)["import_id"]
                if key and self.imports.setdefault(key, import_id) != import_id:
                    self.wrong.append(f"key {key} brought two imports")
            elif status not in {429, 503}:
                self.wrong.append(f"{status}: {text[:400]}")
            elif not answer.headers["Retry-After"]:
                self.wrong.append(f"{status} without Retry-After")

    def unanswered(self, reason):
        with self._lock:
            self.answers[reason] += 1

    def took(self, seconds):
        with self._lock:
            self.slowest_s = max(self.slowest_s, seconds)


class Client(threading.Thread):
    """Pushes until it is told to stop; about half of each batch has been told before."""

    def __init__(self, number, *, port, token, journal, seed, pause_s=0.1, size=40):
        super().__init__(name=f"client-{number}", daemon=True)
        self.number = number
        self.port = port
        self.token = token
        self.journal = journal
        self.chance = random.Random(f"{seed}-client-{number}")
        self.pause_s = pause_s
        self.size = size
        self.stopped = threading.Event()
        self._told = []
        self._pushes = []

    def run(self):
        while not self.stopped.is_set():
            self.push(*self._next())
            time.sleep(self.chance.uniform(0, 2 * self.pause_s))

    def stop(self):
        self.stopped.set()
        self.join(TIMEOUT_S * 2)
        assert not self.is_alive()

    def push(self, batch, key, query=""):
        """Send one batch: event number -> version."""
        self.journal.send(batch)
        lines = [json.dumps(event(number, version)) for number, version in batch.items()]
        self.push_body("\n".join(lines).encode(), key, query, batch)

    def push_body(self, body, key, query="", batch=()):
        """Send bytes. batch: the events in them that the books must hold."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/x-ndjson"}
        if key:
            headers["Idempotency-Key"] = key
        began = time.monotonic()
        try:
            with closing(
                http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
            ) as server:
                server.request("POST", PATH + query, body, headers)
                answer = server.getresponse()
                text = answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            self.journal.unanswered(type(error).__name__)
            time.sleep(self.chance.uniform(0.1, 0.3))
            return
        self.journal.took(time.monotonic() - began)
        self.journal.answered(answer, text, batch, key)
        if answer.status not in {200, 202}:
            time.sleep(self.chance.uniform(0.2, 0.6))

    def _next(self):
        """A replay of an old push, with its key or without; or a new batch that overlaps others."""
        chance = self.chance
        if self._pushes and chance.random() < 0.2:
            batch, key = chance.choice(self._pushes)
            return batch, chance.choice([key, ""])
        batch = {}
        while len(batch) < self.size:
            if self._told and chance.random() < 0.5:
                batch[chance.choice(self._told)] = chance.choice([0, 0, 0, 1, 2])
            else:
                # Clients tell of the same events too, each in an order of its own.
                number = len(self._told) * 2 + chance.randrange(40)
                batch[number] = 0
                self._told.append(number)
        key = f"{self.number}-{len(self._pushes)}"
        self._pushes.append((batch, key))
        query = "?wait=true" if chance.random() < 0.1 else ""
        return batch, key, query


def _raise(known, batch):
    for number, version in dict(batch).items():
        known[number] = max(known.get(number, 0), version)


@contextmanager
def clients_of(rig, count=4, seed=1, port=None):
    """Clients that push inside the block; their journal. port: of a proxy before the web server."""
    journal = Journal()
    token = rig.token
    rig.rows("CHECKPOINT")  # a careless server would lose the key too
    clients = [
        Client(number, port=port or rig.port, token=token, journal=journal, seed=seed)
        for number in range(count)
    ]
    for client in clients:
        client.start()
    try:
        yield journal
    finally:
        for client in clients:
            client.stop()


def wait_for_promises(journal, more):
    """Wait until so many more pushes were promised to be kept."""
    before = journal.answers[202]
    wait_until(lambda: journal.answers[202] >= before + more, seconds=120, what="pushing")
