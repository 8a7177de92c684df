"""Answers cut for their length."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

from accounting.queries import truncation as module
from accounting.queries.truncation import Continuations, LimitRow, truncation
from tests.factories import OrganizationFactory
from tests.queries.asking import at, wanted
from tests.queries.posted import NOON, posted, priced_organization

pytestmark = pytest.mark.django_db


@pytest.fixture
def organization():
    return priced_organization()


def answer(output, finish, limit=None, **more):
    return {"output_tokens": output, "finish_reason": finish, "max_output_tokens": limit, **more}


def test_by_limit_with_what_the_others_needed(organization, django_assert_num_queries):
    posted(
        organization,
        *(answer(n, "stop", 100) for n in range(1, 21)),
        answer(100, "length", 100),
        answer(100, "max_tokens", 100),
        answer(4_000, "end_turn"),
        answer(9, ""),
        answer(50, "length", 50, response_model="jade"),
        answer(50, "stop", 50, status="error"),
        answer(50, "length", 50, part=1),
    )
    with django_assert_num_queries(2):
        found = truncation(wanted(organization))
    assert not found.is_exact
    assert found.rows == (
        LimitRow(provider="testing", model="opal", max_output_tokens=100, finished=22,
                 truncated=2, whole_p95=19),
        LimitRow(provider="testing", model="jade", max_output_tokens=50, finished=1,
                 truncated=1, whole_p95=None),
        LimitRow(provider="testing", model="opal", max_output_tokens=None, finished=1,
                 truncated=0, whole_p95=4_000),
    )  # fmt: skip
    assert found.rows[0].rate == Fraction(1, 11)
    assert (found.answered, found.finished, found.truncated) == (25, 24, 3)
    assert (found.rate, found.continuations, found.has_more) == (Fraction(1, 8), (), False)


def test_days_say_what_the_answers_themselves_do(organization, django_assert_num_queries):
    answers = [
        answer(tokens, finish, limit, response_model=model)
        for model in ("opal", "jade")
        for limit in (None, 100, 4_096)
        for tokens, finish in ((0, "stop"), (7, "end_turn"), (None, "stop"), (90, "MAX_TOKENS"),
                               (40, "stop,length"), (12, ""), (3, "tool_calls"))
    ]  # fmt: skip
    posted(organization, *answers, {"part": 1}, answer(5, "length", status="pending"))
    posted(organization, *answers[:9], at=NOON + timedelta(1))
    found = truncation(wanted(organization))
    with django_assert_num_queries(3):
        exact = truncation(wanted(organization, session=""))
    assert (found.is_exact, exact.is_exact) == (False, True)
    for asked in ({"model": "jade"}, {"provider": "testing", "model!": "jade"}):
        of_days = truncation(wanted(organization, **asked))
        of_events = truncation(wanted(organization, **asked, session=""))
        assert not of_days.is_exact
        assert replace(of_days, is_exact=True) == of_events
    assert replace(found, is_exact=True) == exact
    assert (found.answered, found.finished, found.truncated) == (51, 44, 14)
    assert {row.whole_p95 for row in found.rows} == {7}


def test_a_limit_that_would_have_done_is_told_within_five_percent(organization):
    posted(organization, *(answer(n, "stop", 2_000) for n in range(1_000, 1_101)))
    (row,) = truncation(wanted(organization)).rows
    (exact,) = truncation(wanted(organization, session="")).rows
    assert exact.whole_p95 == 1_095
    assert row.whole_p95 == pytest.approx(1_095, rel=0.05)
    assert replace(row, whole_p95=1_095) == exact


def turns(organization, *rows, session="s1", start=NOON):
    for minute, row in enumerate(rows):
        fields = {"session_id": session, "response_id": f"{session}-{minute}", **row}
        posted(organization, fields, at=start + timedelta(minutes=minute))


def test_what_taking_up_a_cut_answer_cost(organization):
    turns(
        organization,
        answer(100, "length", input_tokens=1_000),
        answer(50, "stop", input_tokens=1_100),
        answer(50, "length", input_tokens=1_200),
        answer(50, "stop", input_tokens=1_240),
        answer(50, "length", input_tokens=2_000),
        answer(0, "", status="error"),
        answer(10, "stop", input_tokens=2_050, response_model="ruby"),
    )
    found = truncation(wanted(organization))
    assert found.continuations == (
        Continuations(currency="", turns=1, input_tokens=2_050, output_tokens=10, cost=Decimal(0)),
        Continuations(
            currency="USD",
            turns=1,
            input_tokens=1_100,
            output_tokens=50,
            cost=Decimal("0.00055375"),
        ),
    )


def test_filters_are_about_the_answer_that_was_cut(organization):
    turns(
        organization,
        answer(100, "length", input_tokens=1_000),
        answer(50, "stop", input_tokens=1_100, response_model="jade"),
    )
    assert [c.turns for c in truncation(wanted(organization, model="opal")).continuations] == [1]
    assert truncation(wanted(organization, model="jade")).continuations == ()


def test_an_answer_may_be_taken_up_after_the_range(organization):
    late = at("2026-10-31T23:59:30Z")
    turns(
        organization,
        answer(100, "length", input_tokens=1_000),
        answer(50, "length", input_tokens=1_100),
        answer(50, "stop", input_tokens=1_150),
        start=late,
    )
    found = truncation(wanted(organization))
    assert (found.truncated, [c.turns for c in found.continuations]) == (1, [1])


def test_a_cut_answer_is_taken_up_by_the_next_turn_of_its_own_chain(organization):
    main, helper = {"place": {"agent": "main"}}, {"place": {"agent": "helper"}}
    turns(
        organization,
        answer(100, "length", input_tokens=1_000, **main),
        answer(10, "stop", input_tokens=9_000, **helper),
        answer(10, "stop", input_tokens=1_099, **main),
        answer(10, "stop", input_tokens=9_000, **main),
        answer(100, "length", input_tokens=1_000, **helper),
        {**answer(0, "", input_tokens=9_000, **helper), "part": 1},
        answer(10, "stop", input_tokens=1_100, **helper),
    )
    assert [c.input_tokens for c in truncation(wanted(organization)).continuations] == [1_100]


def test_answers_outside_of_sessions_are_never_taken_up(organization):
    for session in ("", "s2"):
        turns(organization, answer(10, "length"), session=session)
    turns(organization, answer(10, "stop", input_tokens=500), session="", start=NOON + timedelta(1))
    assert truncation(wanted(organization)).continuations == ()


def test_many_limits_are_cut_off_and_the_whole_is_not(organization, monkeypatch):
    monkeypatch.setattr(module, "MOST_LIMITS", 2)
    posted(organization, *(answer(5, "length", limit) for limit in (10, 20, 30)))
    found = truncation(wanted(organization))
    assert ([row.max_output_tokens for row in found.rows], found.has_more) == ([10, 20], True)
    assert found.truncated == 3


def test_without_answers_there_is_no_rate():
    found = truncation(wanted(OrganizationFactory()))
    assert (found.rows, found.rate, found.continuations) == ((), None, ())
