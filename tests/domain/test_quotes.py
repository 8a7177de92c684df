"""Prices asked for outside the books: what a question may say, and what the answer tells."""

import pytest

from accounting.domain.errors import BadCountError, BadMomentError, DomainError
from accounting.domain.quotes import (
    BadQuestionError,
    UnknownBookError,
    answer,
    question_from,
    refusal,
)
from tests.books import NOON, credit, factor, rate, rate_book, shelf

LONG = "x" * 41


def question(**values):
    return question_from(
        {"provider": "testing", "model": "opal", "at": "2026-03-10T12:00:00Z", "usage": {}} | values
    )


def test_a_question_is_read_whole():
    asked = question(
        provider=" testing ",
        model=" opal ",
        at="2026-03-10T13:00:00+01:00",
        book="deal",
        usage={"input_tokens": 5, "requests": 3, "widgets": 2, "gears": 1, "nuts": 0},
        context={
            "processing": "batch",
            "service_tier": "flex",
            "speed": "fast",
            "region": "eu",
            "route": "direct",
        },
    )
    used = asked.use
    assert (used.provider, used.request_model, asked.at, asked.requests, asked.book) == (
        "testing",
        "opal",
        NOON,
        3,
        "deal",
    )
    assert (used.processing, used.service_tier, used.speed, used.region, used.route) == (
        "batch",
        "flex",
        "fast",
        "eu",
        "direct",
    )
    assert used.counts.other_units == (("gears", 1), ("widgets", 2))


def test_what_a_question_does_not_name_was_not_used():
    counts = question().use.counts
    assert (counts.input_tokens, counts.output_tokens) == (0, 0)
    assert counts.cache_read_input_tokens is None


def test_a_total_that_is_null_is_unknown():
    counts = question(usage={"input_tokens": None, "output_tokens": 2}).use.counts
    assert (counts.input_tokens, counts.output_tokens) == (None, 2)


@pytest.mark.parametrize(
    ("usage", "requests"), [({}, 1), ({"requests": None}, 1), ({"requests": 0}, 0)]
)
def test_a_question_is_about_one_request_unless_it_says_otherwise(usage, requests):
    assert question(usage=usage).requests == requests


@pytest.mark.parametrize(
    ("usage", "written"),
    [
        ({"cache_write_5m_input_tokens": 3, "cache_write_1h_input_tokens": 2}, 5),
        ({"cache_write_1h_input_tokens": 2}, 2),
        ({"cache_write_1h_input_tokens": 2, "cache_write_input_tokens": 4}, 4),
        ({"cache_write_5m_input_tokens": 0}, None),
        ({}, None),
    ],
)
def test_cache_writes_told_by_how_long_they_are_kept_are_summed(usage, written):
    counts = question(usage={"input_tokens": 9} | usage).use.counts
    assert counts.cache_write_input_tokens == written


EXPECTED = "at, book, context, model, provider, usage"
CONTEXT = "processing, service_tier, speed, region, route"


@pytest.mark.parametrize(
    ("values", "error", "said"),
    [
        ({"b": 1, "a": 2}, BadQuestionError, f"'a' is unknown, expected {EXPECTED}"),
        ({"model": " "}, BadQuestionError, "model is missing"),
        ({"model": None}, BadQuestionError, "model is missing"),
        ({"model": int("1" * 41)}, BadQuestionError, f"model = '{'1' * 40}', expected a text"),
        ({"book": 7}, BadQuestionError, "book = '7', expected a text"),
        ({"provider": []}, BadQuestionError, "provider = '[]', expected a text"),
        ({"usage": None}, BadQuestionError, "usage is no object"),
        ({"usage": [1]}, BadQuestionError, "usage is no object"),
        (
            {"usage": {"gears": LONG}},
            BadCountError,
            f"gears = '{'x' * 40}', expected a whole number",
        ),
        (
            {"usage": {"gears": 1.0}},
            BadCountError,
            "gears = '1.0', expected a whole number",
        ),
        (
            {"usage": {"requests": True}},
            BadCountError,
            "requests = 'True', expected a whole number",
        ),
        ({"usage": {"gears": -1}}, BadCountError, "gears = -1, expected 0 to 999999999999"),
        (
            {"usage": {"gears": 10**12}},
            BadCountError,
            "gears = 1000000000000, expected 0 to 999999999999",
        ),
        (
            {"usage": {"gears": 10**40}},
            BadCountError,
            f"gears = 1{'0' * 39}, expected 0 to 999999999999",
        ),
        (
            {"usage": {"input_tokens": 1, "cache_read_input_tokens": 2}},
            BadCountError,
            "cache read + cache write = 2 is more than input_tokens = 1",
        ),
        ({"context": "batch"}, BadQuestionError, "context is no object"),
        (
            {"context": {"tier": "x", "rank": "y"}},
            BadQuestionError,
            f"context 'rank' is unknown, expected {CONTEXT}",
        ),
        ({"context": {"speed": 1}}, BadQuestionError, "speed = '1', expected a text"),
        ({"at": ""}, BadMomentError, "at is missing: expected ISO 8601 with an offset"),
        (
            {"at": LONG},
            BadMomentError,
            f"at = '{'x' * 40}', expected ISO 8601 with an offset",
        ),
        ({"at": "2026-03-10T12:00:00"}, BadMomentError, "2026-03-10T12:00:00 has no offset"),
    ],
)
def test_what_is_wrong_with_a_question_is_said(values, error, said):
    with pytest.raises(error) as refused:
        question(**values)
    assert str(refused.value) == said


@pytest.mark.parametrize("values", [None, [], "opal", 3])
def test_a_question_is_an_object(values):
    with pytest.raises(BadQuestionError) as refused:
        question_from(values)
    assert str(refused.value) == "expected a JSON object"


def test_an_answer_tells_the_price_by_its_lines():
    book = rate_book(
        rate("input", "3"), rate("output", "15"), factor("0.50"), credit_rates=[credit("0.001")]
    )
    asked = question(usage={"input_tokens": 1_000, "output_tokens": 10, "gears": 2})
    told = answer(asked, book)
    ids = [line.pop("rate_id") for line in told["lines"]]
    assert (ids[0] is None, ids[1] is None, ids[2] is None) == (False, False, True)
    assert told == {
        "cost": "0.001575",
        "currency": "CNY",
        "credits": "1.575",
        "state": "partial",
        "lines": [
            {
                "unit": "input",
                "quantity": 1_000,
                "unit_price": "3",
                "per": 1_000_000,
                "amount": "0.0015",
                "multiplier": "0.5",
            },
            {
                "unit": "output",
                "quantity": 10,
                "unit_price": "15",
                "per": 1_000_000,
                "amount": "0.000075",
                "multiplier": "0.5",
            },
            {"unit": "gears", "quantity": 2, "unit_price": None, "per": None, "amount": None},
        ],
    }


def test_a_factor_of_one_is_not_told():
    (line,) = answer(question(usage={"input_tokens": 1}), rate_book(rate("input", "3")))["lines"]
    assert "multiplier" not in line


def test_a_factor_of_two_is_told():
    book = rate_book(rate("input", "3"), factor("2"))
    (line,) = answer(question(usage={"input_tokens": 1}), book)["lines"]
    assert line["multiplier"] == "2"


def test_what_has_no_price_has_no_currency_and_no_credits():
    told = answer(question(model="jade", usage={"input_tokens": 1}), rate_book())
    assert (told["cost"], told["currency"], told["credits"], told["state"]) == (
        None,
        None,
        None,
        "unpriced",
    )


def test_what_is_free_without_a_price_has_no_currency_to_turn_into_credits():
    book = rate_book(credit_rates=[credit("0.001")])
    told = answer(question(model="jade"), book)
    assert (told["cost"], told["currency"], told["credits"]) == ("0", None, None)


def test_credits_are_at_the_rate_of_the_moment_asked_about():
    rates = [credit("0.001", end=NOON), credit("0.002", start=NOON)]
    book = rate_book(rate("input", "3"), credit_rates=rates)
    usage = {"input_tokens": 1_000}
    assert answer(question(usage=usage), book)["credits"] == "1.5"
    assert answer(question(usage=usage, at="2026-03-10T11:59:59Z"), book)["credits"] == "3"


def test_requests_are_charged_as_often_as_the_question_says():
    book = rate_book(rate("requests", "5", per=1_000))
    costs = [answer(question(usage={"requests": n}), book)["cost"] for n in (0, 1, 3)]
    assert costs == ["0", "0.005", "0.015"]


def test_a_question_may_name_the_book_that_answers():
    book = rate_book(
        shelves=[
            shelf(rate("input", "1"), id=1, rank=(0,)),
            shelf(rate("input", "2", book_id=2), id=2, rank=(1,), code="deal"),
        ]
    )
    usage = {"input_tokens": 1_000_000}
    assert answer(question(usage=usage), book)["cost"] == "1"
    assert answer(question(usage=usage, book="deal"), book)["cost"] == "2"
    with pytest.raises(UnknownBookError) as refused:
        answer(question(usage=usage, book="dael"), book)
    assert str(refused.value) == "there is no price book 'dael'"


def test_a_project_is_quoted_by_its_own_books_and_by_no_other_projects():
    book = rate_book(
        shelves=[
            shelf(rate("input", "1"), id=1, rank=(0,), code="five", project_id=5),
            shelf(rate("input", "2", book_id=2), id=2, rank=(0,), code="six", project_id=6),
            shelf(rate("input", "3", book_id=3), id=3, rank=(1,), code="all"),
        ]
    )
    usage = {"input_tokens": 1_000_000}
    costs = [answer(question(usage=usage), book, project_id=one)["cost"] for one in (5, 6, None)]
    assert costs == ["1", "2", "3"]
    assert answer(question(usage=usage, book="five"), book, project_id=5)["cost"] == "1"
    with pytest.raises(UnknownBookError):
        answer(question(usage=usage, book="six"), book, project_id=5)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadQuestionError("no"), "bad_question"),
        (UnknownBookError("no"), "unknown_book"),
        (DomainError("no"), "invalid"),
    ],
)
def test_a_refusal_has_a_code_for_programs_and_a_reason_for_people(error, code):
    assert refusal(error) == {"error": {"code": code, "reason": "no"}}
