"""Hostile inputs 44, 45, 47, 48 and 49 at REST; 46 stands in test_pages.py."""

import time

import pytest

from accounting.queries.grammar import DIMENSIONS
from tests.queries.posted import posted

GROUPS = [
    "password",
    "org__apikeys__hash",
    "organization__apikey__digest",
    'x" --',
    "c;drop",
    "_connector",
    "pk",
    "model__name",
    "Model",
    "tag:",
    "tag",
]


@pytest.mark.parametrize("name", ["group", "sub"])
@pytest.mark.parametrize("value", GROUPS)
def test_44_an_unknown_group_is_refused_with_what_there_is(asks, name, value):
    params = {name: value} if name == "group" else {"group": "model", name: value}
    answer = asks("usage", **params)
    assert (answer.status_code, answer.json()["code"]) == (400, f"unknown_{name}")
    assert all(known in answer.json()["detail"] for known in DIMENSIONS)


@pytest.mark.parametrize(
    "value", ["password", "session_id__x", "?", "-", "cost; drop", "_connector"]
)
def test_44_an_unknown_order_is_refused(asks, value):
    answer = asks("sessions", order=value)
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_order")


@pytest.mark.parametrize("name", ["organization", "model__in", "model__regex", "id", "dedupe_key"])
@pytest.mark.parametrize("path", ["usage", "requests", "sessions", "cache", "change", "projection"])
def test_44_no_condition_reaches_a_column(asks, path, name):
    answer = asks(path, **{name: "1"})
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_parameter")
    assert answer.json()["parameter"] == name


@pytest.mark.parametrize("text", ["%" * 6, "_" * 200, "%_%_" * 50, "\\", "\\%", "'", "[a-z]*"])
def test_45_signs_of_patterns_are_plain_text(asks, priced, text):
    posted(priced, {"response_model": "opal"}, {"response_model": "j%_\\'de[a-z]*"})
    found = asks.october("usage", group="model", **{"model~": text})["rows"]
    expected = ["j%_\\'de[a-z]*"] if text in "j%_\\'de[a-z]*" else []
    assert [row["group"] for row in found] == expected
    prices = asks("prices", **{"model~": text})
    assert (prices.status_code, prices.json()["rows"]) == (200, [])


def test_45_a_text_that_is_too_long_is_refused(asks):
    for path in ("usage", "requests", "prices"):
        answer = asks(path, **{"model~": "a" * 201})
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_value")


def test_45_too_many_values_are_refused(asks):
    answer = asks("usage", model=[f"m{n}" for n in range(101)])
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_value")


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"from": "2026-01-01", "to": "3026-01-01", "bucket": "hour"}, "bad_date"),
        ({"from": "1026-01-01", "to": "2026-01-01", "bucket": "hour"}, "bad_date"),
        ({"from": "2020-01-01", "to": "2100-01-01", "bucket": "hour"}, "too_many_points"),
        ({"from": "2020-01-01", "to": "2100-01-01", "bucket": "day"}, "too_many_points"),
    ],
)
def test_47_a_thousand_years_by_the_hour_are_refused(asks, params, code):
    answer = asks("usage", **params)
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    if code == "too_many_points":
        assert "at most 10000" in answer.json()["detail"]


@pytest.mark.parametrize("path", ["usage", "sessions", "requests", "cache", "change", "dimensions"])
def test_47_the_whole_calendar_without_buckets_is_answered(asks, path):
    answer = asks(path, **{"from": "2020-01-01", "to": "2100-01-01"})
    assert answer.status_code == 200


@pytest.mark.parametrize("name", ["model~", "session~", "model"])
@pytest.mark.parametrize("text", ["^(a+)+$", "(?=x)", "\\1", "(", "a{1000000}"])
def test_48_and_49_nothing_is_a_regular_expression(asks, priced, name, text):
    posted(priced, {"response_model": "a" * 26})
    began = time.monotonic()
    assert asks.october("requests", **{name: text})["rows"] == []
    assert time.monotonic() - began < 1
    assert asks("usage", model__iregex=text).json()["code"] == "unknown_parameter"
