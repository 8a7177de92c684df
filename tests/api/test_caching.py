"""Answers that a caller has already: ETag and 304."""

import pytest

from tests.api.asking import OCTOBER
from tests.queries.posted import posted

PATHS = ["usage", "sessions", "requests", "cache", "change", "dimensions", "dimensions/model"]
PATHS += ["runs", "prices?at=2026-10-01T00:00:00Z", "credit-rates", "imports"]
PATHS += ["projection?as_of=2026-10-02"]


def asked(asks, path, **headers):
    name, _, query = path.partition("?")
    params = dict(pair.split("=") for pair in query.split("&")) if query else {}
    if name in PATHS[:7]:
        params |= OCTOBER
    return asks.client.get(f"/api/v1/{name}", params, headers=asks.headers | headers)


@pytest.mark.parametrize("path", PATHS)
def test_an_answer_that_is_known_is_304_without_a_body(asks, priced, path):
    posted(priced, {})
    first = asked(asks, path)
    assert first.status_code == 200, first.content
    again = asked(asks, path, **{"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == first["ETag"]
    other = asked(asks, path, **{"If-None-Match": '"another"'})
    assert (other.status_code, other.content) == (200, first.content)


def test_new_usage_has_another_etag(asks, priced):
    posted(priced, {})
    first = asked(asks, "usage")
    posted(priced, {"response_id": "later"})
    again = asked(asks, "usage", **{"If-None-Match": first["ETag"]})
    assert again.status_code == 200
    assert again.json()["totals"]["requests"] == 2


def test_nobody_keeps_an_answer_for_another_caller(asks, priced):
    answer = asked(asks, "usage")
    assert answer["Cache-Control"] == "private, no-cache"
    assert {"Authorization", "X-Api-Key", "Cookie"} <= set(answer["Vary"].split(", "))


def test_a_refusal_is_never_304(asks):
    answer = asks("usage", colour="red")
    headers = asks.headers | {"If-None-Match": answer.get("ETag", "*")}
    again = asks.client.get("/api/v1/usage", {"colour": "red"}, headers=headers)
    assert again.status_code == 400
