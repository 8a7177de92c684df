"""How many questions a caller may ask in a minute."""

from collections import Counter

import pytest
from django.test import override_settings

from accounting.api.buckets import MOST_CALLERS, WRONG_KEYS, Buckets
from accounting.api.throttling import BUCKETS
from tests.api.asking import asker
from tests.factories import MembershipFactory

KEY = ("key", 1)


@pytest.fixture(autouse=True)
def full_buckets():
    """Keys of earlier tests had the same numbers."""
    BUCKETS._left.clear()


def test_a_bucket_is_emptied_and_filled_again_all_the_time():
    buckets = Buckets()
    assert [buckets.take(KEY, 60, now=0.0) for _ in range(61)] == [0.0] * 60 + [1.0]
    assert buckets.take(KEY, 60, now=0.75) == pytest.approx(0.25)
    assert buckets.take(KEY, 60, now=1.0) == 0.0
    assert buckets.take(KEY, 60, now=1.0) == 1.0
    assert [buckets.take(KEY, 60, now=10_000.0) for _ in range(61)] == [0.0] * 60 + [1.0]


def test_callers_have_buckets_of_their_own():
    buckets = Buckets()
    assert buckets.take(KEY, 1, now=0.0) == 0.0
    assert buckets.take(KEY, 1, now=0.0) == 60.0
    assert buckets.take(("person", 1), 1, now=0.0) == 0.0


def test_memory_does_not_grow_with_callers():
    buckets = Buckets()
    for number in range(MOST_CALLERS + 5):
        buckets.take(("key", number), 1, now=0.0)
    assert len(buckets._left) == MOST_CALLERS


@override_settings(QUESTIONS_PER_MINUTE=2)
def test_a_key_that_asks_too_much_is_told_when_to_come_again(client, asks, priced):
    assert [asks("usage").status_code for _ in range(3)] == [200, 200, 429]
    answer = asks("prices")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert 1 <= int(answer["Retry-After"]) <= 30
    assert (answer.json()["code"], answer.json()["status"]) == ("too_many_requests", 429)
    assert asker(client, priced, name="another")("usage").status_code == 200


@override_settings(QUESTIONS_PER_MINUTE=1)
def test_a_person_has_a_limit_too(client, priced):
    client.force_login(MembershipFactory(organization=priced).user)
    assert [client.get("/api/v1/usage").status_code for _ in range(2)] == [200, 429]


@override_settings(QUESTIONS_PER_MINUTE=0)
def test_there_may_be_no_limit(asks):
    assert {asks("usage").status_code for _ in range(5)} == {200}


@override_settings(QUESTIONS_PER_MINUTE=1)
def test_strangers_use_nothing_up(client, asks):
    for _ in range(3):
        assert client.get("/api/v1/usage").status_code == 401
    assert asks("usage").status_code == 200


@override_settings(WRONG_KEYS_PER_MINUTE=6)
def test_wrong_keys_are_told_to_wait(client, priced):
    WRONG_KEYS._left.clear()
    codes = Counter(
        client.get("/api/v1/usage", headers={"X-Api-Key": f"tb_{n}"}).json()["code"]
        for n in range(30)
    )
    # While they come the bucket is filled again: one in ten seconds.
    assert codes.keys() == {"bad_key", "too_many_requests"}
    assert 6 <= codes["bad_key"] < 30
