"""Requests that failed, and what trying again cost."""

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

from accounting.queries import failures as module
from accounting.queries.failures import Cause, Lost, Origin, Retries, failures
from tests.factories import OrganizationFactory
from tests.queries.asking import at, wanted
from tests.queries.posted import NOON, posted, priced_organization

pytestmark = pytest.mark.django_db
FAILED = {"status": "error", "input_tokens": None, "output_tokens": None, "usage_state": "missing"}


@pytest.fixture
def organization():
    return priced_organization()


def attempts(organization, *rows, start=NOON):
    for minute, row in enumerate(rows):
        name = f"{start:%d}-{minute}-{len(rows)}-{row}"[-200:]
        posted(organization, {"response_id": name, **row}, at=start + timedelta(minutes=minute))


def test_errors_by_origin_and_cause(organization, django_assert_num_queries):
    busy = {**FAILED, "error_origin": "upstream", "http_status": 429, "error_type": "rate_limit"}
    attempts(
        organization, busy, busy, {**FAILED, "error_origin": "gateway"}, {}, {"status": "cancelled"},
        {"status": "error", "error_origin": "upstream", "http_status": 500}, {"status": "pending"},
        {**FAILED, "part": 1},
        {"status": "error", "error_origin": "gateway", "response_model": "ruby"},
    )  # fmt: skip
    with django_assert_num_queries(4):
        found = failures(wanted(organization))
    assert (found.ended, found.errors, found.rate) == (7, 5, Fraction(5, 7))
    assert found.origins == (
        Origin(origin="upstream", errors=3),
        Origin(origin="gateway", errors=2),
    )
    assert found.causes == (
        Cause(origin="gateway", http_status=None, error_type="", errors=2),
        Cause(origin="upstream", http_status=429, error_type="rate_limit", errors=2),
        Cause(origin="upstream", http_status=500, error_type="", errors=1),
    )
    assert found.lost == (
        Lost(currency="", errors=1, cost=Decimal(0)),
        Lost(currency="USD", errors=1, cost=Decimal("0.00005075")),
    )
    assert found.retries == ()


def test_what_trying_again_cost(organization):
    session = {"session_id": "s1"}
    attempts(
        organization,
        session,
        {**FAILED, **session},
        {**session, "input_tokens": 1_000, "output_tokens": 0},
        {**FAILED, **session},
        {**FAILED, **session},
        {**session, "input_tokens": 10, "output_tokens": 0, "response_model": "jade"},
        session,
    )
    assert failures(wanted(organization)).retries == (
        Retries(currency="USD", retries=3, answered=2, elsewhere=1, cost=Decimal("0.00053")),
    )


def test_a_retry_is_of_the_same_trace_else_turn_else_session(organization):
    def attempt(session="", turn="", trace="", **more):
        return {"session_id": session, "place": {"turn_id": turn}, "trace_id": trace, **more}

    attempts(
        organization,
        attempt("s1", "t1", **FAILED), attempt("s1", "t2"),
        attempt("s2", "t1", **FAILED), attempt("s2", "t1"),
        attempt("s3", **FAILED), attempt("s3"),
        attempt(trace="a", **FAILED), attempt("s4", trace="a"),
        attempt("s6", trace="d", **FAILED), attempt("s7", trace="d"),
        attempt("s5", trace="b", **FAILED), attempt("s5", trace="c"),
        attempt(**FAILED), attempt(),
    )  # fmt: skip
    assert [r.retries for r in failures(wanted(organization)).retries] == [4]


def test_filters_are_about_the_request_that_failed(organization):
    session = {"session_id": "s1"}
    attempts(organization, {**FAILED, **session}, {**session, "response_model": "jade"})
    assert [r.retries for r in failures(wanted(organization, model="opal")).retries] == [1]
    assert failures(wanted(organization, model="jade")).retries == ()


def test_a_retry_may_come_after_the_range(organization):
    session = {"session_id": "s1"}
    attempts(
        organization, {**FAILED, **session}, {**FAILED, **session}, session,
        start=at("2026-10-31T23:59:30Z"),
    )  # fmt: skip
    found = failures(wanted(organization))
    assert (found.errors, [r.retries for r in found.retries]) == (1, [1])


def test_many_causes_are_cut_off_and_the_whole_is_not(organization, monkeypatch):
    monkeypatch.setattr(module, "MOST_CAUSES", 2)
    attempts(organization, *({**FAILED, "http_status": code} for code in (500, 502, 503)))
    found = failures(wanted(organization))
    assert (len(found.causes), found.has_more, found.errors) == (2, True, 3)


def test_where_nothing_happened_nothing_failed():
    found = failures(wanted(OrganizationFactory()))
    assert (found.errors, found.rate, found.causes, found.retries) == (0, None, (), ())
