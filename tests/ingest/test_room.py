"""Backpressure: a sender that is too fast is asked to come again, and nobody else notices."""

import pytest
from django.contrib.auth.models import User

from accounting.models import Import
from ingest.services import room
from tests.factories import OrganizationFactory, ProjectFactory
from tests.ingest.conftest import counted, event, ndjson, new_key, read_all

BODY = ndjson(*(event(n) for n in range(10)))


@pytest.fixture
def narrow(settings):
    """Room for five such pushes of an organization, and so for two and a half of a key."""
    settings.MAX_WAITING_BYTES = 5 * len(BODY)


def statuses(push, times, **headers):
    return [push(BODY, **headers).status_code for _ in range(times)]


def test_a_key_that_is_too_fast_is_asked_to_come_again(push, books, narrow):
    assert statuses(push, 5) == [202, 202, 202, 429, 429]
    refused = push(BODY)
    assert (refused.json()["code"], int(refused["Retry-After"]) > 0) == ("inbox_full", True)
    assert "of this key's in 3 parts" in refused.json()["detail"]
    assert Import.objects.count() == 3
    read_all()
    assert push(BODY).status_code == 202


def test_the_organization_s_other_keys_go_on_until_it_has_no_room(push, books, narrow):
    second, third = (f"Bearer {new_key(books, ['ingest'], name=name)}" for name in "ab")
    assert statuses(push, 4)[-1] == 429
    assert statuses(push, 2, Authorization=second) == [202, 202]
    refused = push(BODY, Authorization=third)
    assert (refused.status_code, "this organization's" in refused.json()["detail"]) == (429, True)


def test_other_organizations_do_not_notice(push, books, narrow):
    other = OrganizationFactory()
    ProjectFactory(organization=other, slug="default")
    key = f"Bearer {new_key(other, ['ingest'])}"
    assert statuses(push, 4)[-1] == 429
    assert statuses(push, 3, Authorization=key) == [202, 202, 202]


def test_tiny_pushes_are_limited_by_their_number(push, monkeypatch):
    monkeypatch.setattr(room, "MAX_WAITING_CHUNKS", 8)
    tiny = ndjson(event(1))
    assert [push(tiny).status_code for _ in range(6)] == [202] * 4 + [429] * 2


def test_uploads_have_a_limit_of_their_own(client, books, settings):
    settings.MAX_UPLOAD_BYTES = len(BODY)
    client.force_login(User.objects.get(username="owner"))

    def upload():
        return client.post("/imports/upload?name=a.jsonl", BODY, "application/octet-stream")

    assert [upload().status_code for _ in range(3)] == [201, 201, 429]
    read_all()
    assert upload().status_code == 201


@pytest.mark.parametrize(
    ("free", "size", "is_enough"),
    [
        (1_000_000_000, 0, True),
        (999_999_999, 0, False),
        (1_000_000_000, 500_000_000, True),
        (1_000_000_000, 500_000_001, False),
        (6_000_000_000, 3_000_000_000, True),
    ],
)
def test_a_gigabyte_or_twice_the_upload_must_be_free(settings, monkeypatch, free, size, is_enough):
    settings.EMBEDDED = True
    monkeypatch.setattr(room, "free_bytes", lambda _: free)
    assert (room.short_of_space(size) == "") is is_enough


def test_of_another_server_s_disk_nothing_is_known(settings, monkeypatch):
    settings.EMBEDDED = False
    monkeypatch.setattr(room, "free_bytes", lambda _: 0)
    assert room.short_of_space(10) == ""


@pytest.fixture
def full_disk(settings, monkeypatch):
    settings.EMBEDDED = True
    monkeypatch.setattr(room, "free_bytes", lambda _: 10_000)


def test_a_full_disk_takes_no_push_and_says_when_to_come_again(push, full_disk):
    answer = push(BODY)
    assert (answer.status_code, answer.json()["code"]) == (503, "disk_full")
    assert answer["Retry-After"]
    assert not Import.objects.exists()


def test_a_full_disk_takes_no_upload(client, books, full_disk):
    client.force_login(User.objects.get(username="owner"))
    answer = client.post("/imports/upload", BODY, "application/octet-stream")
    assert (answer.status_code, answer.json()["code"]) == (507, "no_space")
    assert not Import.objects.exists()


def test_a_disk_that_fills_up_on_the_way_ends_the_upload(client, books, settings, monkeypatch):
    settings.EMBEDDED = True
    left = iter([10**12, 10_000])
    monkeypatch.setattr(room, "free_bytes", lambda _: next(left))
    client.force_login(User.objects.get(username="owner"))
    answer = client.post("/imports/upload", BODY, "application/octet-stream")
    assert (answer.status_code, answer.json()["code"]) == (507, "no_space")
    source = Import.objects.get()
    assert (source.state, source.chunks.count()) == ("failed", 0)


def test_the_disk_of_these_books_is_looked_at(push, settings):
    if settings.EMBEDDED:
        from accounting.embedded.places import cluster_of

        assert room.free_bytes(cluster_of(settings.DATA_FOLDER)) > 0
    assert push(BODY).status_code == 202
    read_all()
    assert counted() == (10, 1_000)
