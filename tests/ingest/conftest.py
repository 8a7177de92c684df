import gzip
import json
from io import BytesIO, StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounting.models import Import, UsageEvent, UsageHour
from accounting.services.tenants import create_api_key, default_project, ensure_defaults
from ingest.services.reading import read_waiting

EVENTS = "/api/v1/events"


@pytest.fixture(autouse=True)
def silence(monkeypatch):
    """No bell rings by itself: its thread would go on into the next test."""
    monkeypatch.setattr("ingest.api.push.ring", lambda: None)
    monkeypatch.setattr("ingest.api.otlp.ring", lambda: None)


@pytest.fixture
def books(db):
    """The default organization."""
    return ensure_defaults()


@pytest.fixture
def key(books):
    return new_key(books, ["ingest"])


@pytest.fixture
def push(client, key):
    """Push a body with a valid key; further arguments override the request's."""

    def pushed(body, query="", *, content_type="application/x-ndjson", **headers):
        sent = {"Authorization": f"Bearer {key}"}
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        return client.post(EVENTS + query, body, content_type=content_type, headers=sent)

    return pushed


@pytest.fixture
def ingest(books):
    """Run the command with --json; its objects and its exit code."""

    def ran(*arguments):
        out, code = StringIO(), 0
        try:
            call_command("ingest", *map(str, arguments), "--json", stdout=out, stderr=StringIO())
        except CommandError as error:
            code = error.returncode
        return [json.loads(line) for line in out.getvalue().splitlines()], code

    return ran


@pytest.fixture
def log(tmp_path):
    """Write a file below the test's folder; its path."""

    def written(name, body):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        return path

    return written


def new_key(books, scopes, name="gateway"):
    project = default_project(books.pk)
    return create_api_key(organization_id=books.pk, project_id=project.pk, name=name, scopes=scopes)


def event(number, **more):
    """One native event: 100 input and 10 output tokens."""
    values = {
        "id": f"r-{number}",
        "started_at": "2026-03-02T10:00:00Z",
        "provider": "openai",
        "model": "gpt-4o",
        "input_tokens": 100,
        "output_tokens": 10,
    }
    return {name: value for name, value in {**values, **more}.items() if value is not None}


def ndjson(*lines):
    """Lines as bytes: texts as they are, everything else as JSON."""
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    return "".join(f"{text}\n" for text in texts).encode()


def timings(count):
    """Rows of a load test, all different."""
    return ndjson(
        *(
            {"ttft_ms": 100 + n, "tokens": 10, "total_ms": 400 + n, "tpot_ms": 30}
            for n in range(count)
        )
    )


def zipped(body):
    return gzip.compress(body, mtime=0)


def read_all():
    assert not read_waiting(seconds=60)


def only_import():
    return Import.objects.get()


def counted():
    """Requests and input tokens of the books, the same in events and hours."""
    events = UsageEvent.objects.all()
    hours = UsageHour.objects.all()
    total = (events.count(), sum(event.input_tokens or 0 for event in events))
    assert total == (sum(h.parts for h in hours), sum(h.input_tokens for h in hours))
    return total


def is_conserved(source):
    outcomes = ("recorded", "updated", "duplicates", "conflicts", "skipped", "rejected")
    return source.lines == sum(getattr(source, name) for name in outcomes)


class Torn(BytesIO):
    """A body that breaks off: its bytes, then an error, or with None just no more of them."""

    def __init__(self, body, error):
        super().__init__(body)
        self.error = error

    def read(self, size=-1):
        piece = super().read(size)
        if not piece and self.error:
            raise self.error
        return piece
