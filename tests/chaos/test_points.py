"""Killed at any named point, as often as one likes: what was promised is there once, the books the same."""

import json
import os
import subprocess
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connections
from django.utils import timezone

from accounting.domain.money import plain
from accounting.models import (
    Import,
    SessionTotal,
    UsageDayAttribute,
    UsageEvent,
    UsageHour,
)
from accounting.services.rollups import differences
from ingest.services import sweeping
from ingest.services.points import POINTS
from tests.chaos.clients import event
from tests.chaos.processes import ROOT, python
from tests.factories import OrganizationFactory, ProjectFactory
from tests.ingest.conftest import new_key
from tests.ingest.test_processes import database_url

pytestmark = [pytest.mark.chaos, pytest.mark.django_db(transaction=True)]

#: How often each point is struck.
KILLS = int(os.environ.get("CHAOS_KILLS", "3"))
OF_THE_ROW = {"id", "organization", "dedupe_key", "import_id", "project_id", "api_key_id"}
OF_THE_MOMENT = {"received_at"}
#: Three pushes, of which the second tells some of the first's events again, more completely.
PUSHES = [
    dict.fromkeys(range(30), 0),
    dict.fromkeys(range(20, 50), 1),
    dict.fromkeys(range(50, 80), 0),
]
UPLOAD = dict.fromkeys(range(60), 0)


@pytest.fixture(scope="module")
def striking():
    """Give an order to the program whose children die; its answer."""
    program = []

    def given(**order):
        if not program:
            program.append(_program())
        program[0].stdin.write(json.dumps(order) + "\n")
        program[0].stdin.flush()
        return json.loads(program[0].stdout.readline())

    yield given
    for process in program:
        process.kill()
        process.communicate()


def _program():
    environment = {**os.environ, "DATABASE_URL": database_url()}
    environment["DJANGO_SETTINGS_MODULE"] = "accounting.config.settings"
    return subprocess.Popen(
        python("-m", "tests.chaos.striking"),
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


class Books:
    """A new organization, with what is sent to it."""

    def __init__(self, striking):
        self.striking = striking
        self.organization = OrganizationFactory()
        ProjectFactory(organization=self.organization, slug="default", name="Default")
        self.token = new_key(self.organization, ["ingest"])

    def push(self, number, **strike):
        how = {"token": self.token, "key": f"push-{number}", "body": body(PUSHES[number])}
        return self.striking(do="push", how=how, **strike)

    def upload(self, **strike):
        how = {"organization_id": self.organization.pk, "body": body(UPLOAD)}
        return self.striking(do="upload", how=how, **strike)

    def read(self, **strike):
        return self.striking(do="read", **strike)

    def contents(self):
        """Every event and sum, without what is the row's own."""
        assert not any(differences(organization_id=self.organization.pk).values())
        return [
            contents_of(table.objects.of(self.organization.pk))
            for table in (UsageEvent, UsageHour, UsageDayAttribute, SessionTotal)
        ]

    def imports(self):
        return Import.objects.of(self.organization.pk).order_by("pk")


def body(batch):
    return "".join(f"{json.dumps(event(number, version))}\n" for number, version in batch.items())


def contents_of(rows):
    names = [field.name for field in rows.model._meta.concrete_fields]
    kept = [name for name in names if name not in OF_THE_ROW | OF_THE_MOMENT]
    return sorted(str([_shown(value) for value in row]) for row in rows.values_list(*kept))


def _shown(value):
    return plain(value) if isinstance(value, Decimal) else value


def is_killed(answer):
    return answer["signal"] == 9


@pytest.fixture(scope="module")
def when_nobody_dies():
    """What books hold then, by what was sent to them; the same whenever it is sent, so it is sent once."""
    return {}


@pytest.fixture
def clean(striking, when_nobody_dies):
    """The books of the same pushes and reads when nobody dies."""
    if "pushes" not in when_nobody_dies:
        books = Books(striking)
        for number in range(len(PUSHES)):
            assert books.push(number)["said"]["status"] == 202
        assert books.read()["said"] == {"left": False}
        assert UsageEvent.objects.of(books.organization.pk).count() == 80
        when_nobody_dies["pushes"] = books.contents()
    return when_nobody_dies["pushes"]


@pytest.fixture
def clean_upload(striking, when_nobody_dies):
    """The books of the same upload when nobody dies."""
    if "upload" not in when_nobody_dies:
        books = Books(striking)
        books.upload()
        books.read()
        assert books.imports().get().chunks.count() > 3
        when_nobody_dies["upload"] = books.contents()
    return when_nobody_dies["upload"]


def passes_to_die_at(point, kill):
    """At which pass of the point each reader in turn dies, at every other kill a later one."""
    if kill % 2 == 0:
        return (1,)
    # Pushes are begun together and so pass it once; those whose reader died are begun one by one.
    return (1, 2) if point == "read.begun" else (2,)


@pytest.mark.parametrize("point", [name for name in POINTS if name != "receive.piece"])
def test_a_push_whose_server_or_reader_is_killed_counts_once(striking, clean, point):
    for kill in range(KILLS):
        books = Books(striking)
        struck = {"point": point, "nth": 1}
        receiving = point.startswith("receive.")
        for number in range(len(PUSHES)):
            if receiving and number == kill % len(PUSHES):
                assert is_killed(books.push(number, **struck))
            answer = books.push(number)["said"]  # the sender comes again
            assert answer["status"] == 202
        if not receiving:
            for nth in passes_to_die_at(point, kill):
                assert is_killed(books.read(point=point, nth=nth))
        assert books.read()["said"] == {"left": False}
        sources = list(books.imports())
        assert [source.state for source in sources] == ["done"] * len(PUSHES)
        assert sum(source.recorded for source in sources) == 80
        assert sum(source.lines for source in sources) == 90
        assert books.contents() == clean


@pytest.mark.parametrize("point", [name for name in POINTS if name != "receive.read"])
def test_an_upload_of_several_pieces_counts_once(striking, clean_upload, point):
    for kill in range(KILLS):
        books = Books(striking)
        nth = 1 if point in {"receive.kept", "receive.committed"} else 1 + kill % 4
        if point.startswith("receive."):
            assert is_killed(books.upload(point=point, nth=nth))
        else:
            books.upload()
            assert is_killed(books.read(point=point, nth=nth))
        books.read()
        if not UsageEvent.objects.of(books.organization.pk).exists():
            books.upload()  # it was not complete, so nothing of it counts
            books.read()
        books.imports().filter(state="receiving").update(
            received_at=timezone.now() - timedelta(hours=1)
        )
        sweeping.give_up_broken()
        states = sorted(books.imports().values_list("state", flat=True))
        assert states in (["done"], ["done", "failed"])
        assert not books.imports().filter(state="failed", chunks__isnull=False).exists()
        assert books.contents() == clean_upload
        connections.close_all()
