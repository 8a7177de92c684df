"""Small pushes that wait are read together, and each has the outcome that it would have had alone."""

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from accounting.models import Import, ImportOverlap, UsageEvent
from accounting.services.rollups import differences
from ingest.models import InboxChunk
from ingest.services import chunks, reading, together
from ingest.services.together import Waiting, turns
from tests.factories import OrganizationFactory, ProjectFactory
from tests.ingest.conftest import counted, event, is_conserved, ndjson, new_key, read_all
from tests.ingest.poison import mend, poison


@pytest.fixture
def posted(monkeypatch):
    """How many imports were posted by each transaction."""
    found = []
    alone, several = chunks.book, together.book_together

    def book(**how):
        found.append(1)
        return alone(**how)

    def book_together(**how):
        found.append(len(how["outcomes"]))
        return several(**how)

    monkeypatch.setattr(chunks, "book", book)
    monkeypatch.setattr(together, "book_together", book_together)
    return found


def outcomes():
    rows = Import.objects.order_by("pk")
    assert all(map(is_conserved, rows))
    return [(row.state, row.lines, row.recorded, row.updated, row.duplicates) for row in rows]


def test_many_small_pushes_are_posted_by_one_transaction(push, books, posted):
    for number in range(30):
        push(ndjson(event(2 * number), event(2 * number + 1)))
    read_all()
    assert posted == [30]
    assert outcomes() == [("done", 2, 2, 0, 0)] * 30
    assert counted() == (60, 6_000)
    assert not any(differences(organization_id=books.pk).values())


def test_each_import_knows_what_it_changed(push):
    push(ndjson(event(1), event(2)), "?wait=true")
    push(ndjson(event(1, output_tokens=25), event(3)))  # grown by 15, and a new one
    push(ndjson(event(4, cache_read_input_tokens=40), "bad"))
    push(ndjson(event(2)))
    read_all()
    changes = [one.change for one in Import.objects.order_by("pk")]
    assert [change["requests"] for change in changes] == [2, 1, 1, 0]
    assert [change["output_tokens"] for change in changes] == [20, 25, 10, 0]
    assert [change["cache_read_input_tokens"] for change in changes] == [None, None, 40, None]
    assert outcomes() == [
        ("done", 2, 2, 0, 0),
        ("done", 2, 1, 1, 0),
        ("done", 2, 1, 0, 0),
        ("done", 1, 0, 0, 1),
    ]
    [rejection] = Import.objects.order_by("pk")[2].rejections.all()
    assert (rejection.line, rejection.code) == (2, "not_json")


def test_an_event_that_two_of_them_tell_meets_in_the_books(push, posted):
    """Or undoing the first would take away what the second told too."""
    push(ndjson(event(1), event(2)))
    push(ndjson(event(2), event(3)))
    push(ndjson(event(4)))
    read_all()
    assert posted == [2, 1]
    assert counted() == (4, 400)
    assert outcomes() == [("done", 2, 2, 0, 0), ("done", 2, 1, 0, 1), ("done", 1, 1, 0, 0)]
    first, second, _ = Import.objects.order_by("pk")
    met = ImportOverlap.objects.get()
    assert (met.earlier_import_id, met.later_import_id) == (first.pk, second.pk)


def test_of_a_group_only_the_poison_is_charged(push, monkeypatch):
    poison(monkeypatch)
    for number in ["a", "b", "poison", "c", "d"]:
        push(ndjson(event(number)))
    assert not reading.read_waiting(seconds=60)
    found = InboxChunk.objects.order_by("pk").values_list("state", "attempts")
    assert list(found) == [("done", 1), ("done", 1), ("ready", 1), ("done", 1), ("done", 1)]
    for _ in range(4):
        reading.read_waiting(seconds=60)
    bad = InboxChunk.objects.get(state="quarantined")
    assert (bad.attempts, bad.source_import.state) == (5, "quarantined")
    assert counted() == (4, 400)
    mend(monkeypatch)


def test_where_posting_breaks_down_each_is_read_alone(push, monkeypatch, posted):
    def break_down(**_):
        raise RuntimeError("nobody knows whose fault it is")

    monkeypatch.setattr(together, "book_together", break_down)
    for number in range(3):
        push(ndjson(event(number)))
    read_all()
    assert posted == [1, 1, 1]
    assert outcomes() == [("done", 1, 1, 0, 0)] * 3
    assert set(InboxChunk.objects.values_list("attempts", flat=True)) == {1}


def test_one_that_failed_before_is_read_alone(push, posted):
    for number in range(4):
        push(ndjson(event(number)))
    InboxChunk.objects.filter(source_import=Import.objects.first()).update(attempts=1)
    read_all()
    assert posted == [3, 1]


def test_those_of_two_organizations_are_apart(push, books, posted):
    other = OrganizationFactory()
    ProjectFactory(organization=other, slug="default")
    key = new_key(other, ["ingest"], name="other")
    push(ndjson(event(1)), Idempotency_Key="k")
    push(ndjson(event(1)), Idempotency_Key="k", Authorization=f"Bearer {key}")
    read_all()
    assert posted == [1, 1]
    # The same event and the same idempotency key: they are nobody else's.
    assert UsageEvent.objects.of(books.pk).count() == UsageEvent.objects.of(other.pk).count() == 1


def waiting(number, *, size=1_000, attempts=0, organization=1, whole=True, of_import=None):
    return Waiting(
        chunk_id=number,
        organization_id=organization,
        import_id=of_import or number,
        size=size,
        attempts=attempts,
        is_whole_push=whole,
    )


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ([waiting(1), waiting(2), waiting(3)], [[1, 2, 3]]),
        ([waiting(1), waiting(2, whole=False), waiting(3)], [[1], [2], [3]]),
        ([waiting(1), waiting(2, organization=2)], [[1], [2]]),
        ([waiting(1), waiting(2, of_import=1), waiting(3)], [[1], [2, 3]]),
        ([waiting(1), waiting(2, size=300_000), waiting(3)], [[1], [2], [3]]),
        ([waiting(n, size=250_000) for n in range(1, 20)], [[*range(1, 17)], [17, 18, 19]]),
        ([waiting(n) for n in range(1, 103)], [[*range(1, 101)], [101, 102]]),
        ([waiting(1), waiting(2, attempts=1), waiting(3, attempts=1)], [[1], [2], [3]]),
    ],
)
def test_what_is_read_at_once(chunks, expected):
    assert list(turns(chunks)) == expected


def test_a_group_costs_few_statements(push):
    for number in range(50):
        push(ndjson(event(number)))
    with CaptureQueriesContext(connections["default"]) as asked:
        read_all()
    assert len(asked) < 50 * 12  # alone, each takes some forty
