"""Every question takes every condition: one filter, everywhere."""

import pytest

from accounting.queries.cache import cache_savings
from accounting.queries.cache_moves import cache_moves
from accounting.queries.change import change_explained
from accounting.queries.coverage import usage_coverage
from accounting.queries.data_health import data_health
from accounting.queries.failures import failures
from accounting.queries.grammar import DIMENSIONS, FIELDS
from accounting.queries.latency import latency_table
from accounting.queries.overview import overview
from accounting.queries.projection import month_projections
from accounting.queries.requests import request_page
from accounting.queries.sessions import session_table
from accounting.queries.spend import usage_table
from accounting.queries.truncation import truncation
from tests.queries.asking import at, wanted
from tests.queries.posted import posted, priced_organization

pytestmark = pytest.mark.django_db
QUESTIONS = {
    "overview": lambda asked: overview(asked).totals.requests,
    "usage": lambda asked: usage_table(asked).totals.requests,
    "sessions": lambda asked: session_table(asked).totals.requests,
    "requests": lambda asked: len(request_page(asked).rows),
    "latency": lambda asked: latency_table(asked).whole.duration.requests,
    "cache": lambda asked: len(cache_savings(asked).rows),
    "truncation": lambda asked: truncation(asked).answered,
    "change": lambda asked: change_explained(asked).after.requests,
    "coverage": lambda asked: sum(row.answered for row in usage_coverage(asked)),
    "failures": lambda asked: failures(asked).ended,
    "projection": lambda asked: sum(row.spent > 0 for row in month_projections(asked)),
}
VALUES = {
    "model": "opal", "provider": "testing", "project": "default", "key": "", "user": "ann",
    "source": "native", "status": "ok", "team": "red", "agent": "a", "environment": "prod",
    "service_tier": "default", "cost_center": "R&D", "session": "s1", "operation": "chat",
    "region": "eu", "finish_reason": "stop", "error_type": "", "error_origin": "",
    "cost_state": "priced", "usage_state": "reported", "tag:env": "prod",
}  # fmt: skip


@pytest.fixture
def organization():
    organization = priced_organization()
    request = {
        "source": "native", "session_id": "s1", "service_tier": "default", "region": "eu",
        "finish_reason": "stop", "duration_ms": 5.0,
        "place": {"user_id": "ann", "team": "red", "agent": "a", "environment": "prod",
                  "cost_center": "R&D", "tags": (("env", "prod"),)},
    }  # fmt: skip
    posted(organization, request)
    return organization


def test_the_table_of_values_is_whole():
    assert {*VALUES} == {*DIMENSIONS, *FIELDS, "tag:env"}


@pytest.mark.parametrize("name", VALUES)
def test_a_condition_that_holds_and_one_that_does_not(organization, name):
    def asked(mark):
        return wanted(organization, now=at("2026-10-03T09:30Z"), **{name + mark: VALUES[name]})

    for question, answer in QUESTIONS.items():
        assert (question, answer(asked(""))) == (question, 1)
        assert (question, answer(asked("!"))) == (question, 0)
    assert data_health(asked("")).gaps == ()
    assert cache_moves(asked("")).before is None


@pytest.mark.parametrize("name", [*DIMENSIONS, "tag:env"])
def test_every_dimension_is_a_group(organization, name):
    value = VALUES[name]
    asked = wanted(organization, group=name)
    for rows in (usage_table(asked).rows, latency_table(asked).rows, cache_savings(asked).rows):
        assert [row.group.value for row in rows] == [value]
    page = overview(wanted(organization, group=name, bucket="day", range="mtd"))
    assert [series.group.value for series in page.stack.series] == [value]


def test_sub_groups_of_every_two_dimensions(organization):
    names = [*DIMENSIONS, "tag:env"]
    for group in names:
        for sub in names:
            if group != sub:
                (row,) = usage_table(wanted(organization, group=group, sub=sub)).rows
                assert (row.group.value, row.sub.value) == (VALUES[group], VALUES[sub])
                assert row.totals.requests == 1
