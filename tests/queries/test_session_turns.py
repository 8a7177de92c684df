"""Sessions turn by turn."""

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

from accounting.domain.finishes import is_cut_by_length
from accounting.queries.session_shapes import SessionShape, session_shapes
from accounting.queries.session_turns import session_turns
from accounting.queries.sessions import session_table
from tests.factories import OrganizationFactory
from tests.queries.asking import wanted
from tests.queries.posted import NOON, posted, priced_organization

pytestmark = pytest.mark.django_db


@pytest.fixture
def organization():
    return priced_organization()


def talk(organization, *turns, session="s1", **more):
    """Turns a minute apart: input, output, finish reason, and further fields."""
    for minute, (read, output, finish, *rest) in enumerate(turns):
        fields = {"input_tokens": read, "output_tokens": output, "finish_reason": finish}
        fields |= {"session_id": session, **more, **(rest[0] if rest else {})}
        posted(
            organization,
            fields | {"response_id": f"{session}-{minute}-{more}"},
            at=NOON + timedelta(minutes=minute),
        )


TURNS = (
    (1_000, 100, "stop"),
    (1_400, 50, "length"),
    (1_450, 60, "stop"),  # takes up what was cut
    (1_000, 70, "end_turn"),  # 69 % of 1,450: context was cut
    (None, None, "", {"status": "error", "usage_state": "missing"}),
    (1_250, 80, "max_tokens"),
    (1_300, 90, "stop"),  # less than 1,250 + 80: not taken up
)


def test_each_turn_stands_beside_the_one_before(organization, django_assert_num_queries):
    talk(organization, *TURNS)
    with django_assert_num_queries(2):
        found = session_turns(organization.pk, "s1")
    assert [(t.number, t.grown, t.is_truncated, t.is_continuation, t.is_context_cut)
            for t in found.turns] == [
        (1, None, False, False, False),
        (2, 400, True, False, False),
        (3, 50, False, True, False),
        (4, -450, False, False, True),
        (None, None, False, False, False),
        (5, 250, True, False, False),
        (6, 50, False, False, False),
    ]  # fmt: skip
    assert found.turns[0].input_output_ratio == 10
    assert found.turns[4].input_output_ratio is None
    assert (found.totals.requests, found.totals.errors) == (6, 1)
    assert found.turns[-1].cost_so_far == found.totals.cost_in("USD")
    assert found.turns[1].cost_so_far == Decimal("0.00121125")
    assert found.ended_at - found.started_at == timedelta(minutes=6)


def test_a_page_goes_on_where_the_one_before_ended_with_the_same_sums(organization):
    talk(organization, *TURNS)
    whole = session_turns(organization.pk, "s1").turns
    seen, after = [], None
    for _ in range(4):
        page = session_turns(organization.pk, "s1", limit=2, after=after)
        assert page.totals.requests == 6
        seen += page.turns
        after = page.turns[-1].key
    assert tuple(seen) == whole
    assert not page.has_more


def test_parts_stand_between_turns_and_a_sub_agent_has_a_context_of_its_own(organization):
    sub = {"place": {"agent": "scout", "is_sidechain": True}}
    part = {"part": 1, "response_model": "jade"}
    talk(organization, (1_000, 10, "stop"), (10, 1, "stop", sub), (5, 1, "", part),
         (1_200, 10, "stop"), (30, 1, "stop", sub))  # fmt: skip
    turns = session_turns(organization.pk, "s1").turns
    assert [(t.number, t.grown, t.is_context_cut) for t in turns] == [
        (1, None, False), (2, None, False), (None, None, False), (3, 200, False), (4, 20, False),
    ]  # fmt: skip


def test_there_is_no_such_session(organization):
    talk(organization, *TURNS)
    assert session_turns(organization.pk, "s2") is None
    assert session_turns(organization.pk, "") is None
    assert session_turns(OrganizationFactory().pk, "s1") is None
    assert session_turns(organization.pk, "s1", purpose="benchmark") is None


def test_the_shapes_of_a_page_of_sessions(organization, django_assert_num_queries):
    talk(organization, *TURNS)
    talk(organization, (500, 5, ""), (None, 5, "stop"), (600, 5, "stop"), session="s2")
    rows = session_table(wanted(organization), order="started").rows
    with django_assert_num_queries(1):
        shapes = session_shapes(wanted(organization), rows)
    assert shapes == {
        "s1": SessionShape(
            turns=6, finished=6, truncated=2, continuations=1, context_cuts=1, steps=4, grown=750,
            largest_input=1_450,
        ),
        "s2": SessionShape(
            turns=3, finished=2, truncated=0, continuations=0, context_cuts=0, steps=0, grown=0,
            largest_input=600,
        ),
    }  # fmt: skip
    assert shapes["s1"].growth_per_turn == Fraction(375, 2)
    assert shapes["s1"].truncation_rate == Fraction(1, 3)
    assert shapes["s2"].growth_per_turn is None
    assert session_shapes(wanted(organization), []) == {}


def test_a_session_row_says_how_long_it_took_and_what_a_turn_cost(organization):
    talk(organization, (1_000, 100, "stop", {"cache_read_input_tokens": 400}), (3_000, 300, "stop"))
    (row,) = session_table(wanted(organization)).rows
    assert row.duration == timedelta(minutes=1)
    assert row.totals.cost_per_request == (("USD", Fraction("0.000935")),)
    assert row.totals.cache_read_output_ratio == 1
    assert row.totals.cache_hit_rate == Fraction(2, 5)
    assert row.totals.cache_coverage == Fraction(1, 4)
    assert session_turns(organization.pk, row.session_id).totals == row.totals


@pytest.mark.parametrize(
    ("reason", "is_cut"),
    [
        ("length", True), ("MAX_TOKENS", True), ("max_output_tokens", True), ("stop,length", True),
        ("", False), ("stop", False), ("end_turn", False), ("content_length_filter", False),
    ],
)  # fmt: skip
def test_the_words_for_an_answer_cut_for_its_length(organization, reason, is_cut):
    assert is_cut_by_length(reason) is is_cut
    talk(organization, (10, 10, reason))
    (turn,) = session_turns(organization.pk, "s1").turns
    assert turn.is_truncated is is_cut
