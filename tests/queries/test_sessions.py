"""Sessions and their ratios."""

from decimal import Decimal
from fractions import Fraction

import pytest
from django.db import connection
from django.db.models import F

from accounting.models import SessionWhole
from accounting.queries.filters import FilterError
from accounting.queries.sessions import session_summary, session_table
from tests.factories import OrganizationFactory, SessionTotalFactory
from tests.queries.asking import at, wanted

pytestmark = pytest.mark.django_db


@pytest.fixture
def organization():
    return OrganizationFactory()


def session(organization, name, read, output, **more):
    return SessionTotalFactory(
        organization=organization, session_id=name, input_tokens=read, output_tokens=output, **more
    )


def test_the_median_is_over_sessions_with_output(organization):
    session(organization, "a", 654, 10)
    session(organization, "b", 900, 10)
    session(organization, "c", 500, 0)
    summary = session_summary(wanted(organization))
    assert (summary.sessions, summary.with_ratio) == (3, 2)
    assert summary.ratio_median == Fraction("77.7")


@pytest.mark.parametrize(
    ("pairs", "median"),
    [
        ([], None),
        ([(1, 3)], Fraction(1, 3)),
        ([(1, 1), (2, 1), (9, 1)], Fraction(2)),
        ([(1, 1), (2, 1), (4, 1), (9, 1)], Fraction(3)),
        ([(0, 5)], Fraction(0)),
    ],
)
def test_median(organization, pairs, median):
    for n, (read, output) in enumerate(pairs):
        session(organization, f"s{n}", read, output, known_input_tokens=1)
    found = session_summary(wanted(organization)).ratio_median
    assert found is median is None or abs(found - median) < Fraction(1, 10**18)


def test_a_median_of_too_many_tokens_for_a_binary_fraction_is_read_once_more(
    organization, django_assert_num_queries
):
    session(organization, "a", 10**17 + 1, 10**16)
    with django_assert_num_queries(3):  # the lower middle and the upper are looked up
        found = session_summary(wanted(organization)).ratio_median
    assert found == Fraction(10**17 + 1, 10**16)


def test_a_median_whose_session_grows_while_it_is_looked_up_is_told_all_the_same(organization):
    session(organization, "a", 10**17 + 1, 10**16)
    asked = []

    def grown_meanwhile(execute, *statement):
        asked.append(statement)
        if len(asked) == 2:  # the first has found the middle, the second looks it up
            SessionWhole.objects.update(input_tokens=F("input_tokens") * 2)
        return execute(*statement)

    with connection.execute_wrapper(grown_meanwhile):
        assert session_summary(wanted(organization)).ratio_median == 10


def test_a_session_whose_input_nobody_reported_has_no_ratio(organization):
    session(organization, "a", 0, 10)
    assert session_summary(wanted(organization)).with_ratio == 0


def test_a_session_in_two_currencies_is_one_session(organization, django_assert_num_queries):
    session(organization, "a", 600, 10, cost=Decimal(2), started_at=at("2026-10-02T00:00Z"))
    session(
        organization, "a", 54, 0, cost=Decimal(3), currency="CNY",
        started_at=at("2026-10-05T00:00Z"),
    )  # fmt: skip
    with django_assert_num_queries(4):
        table = session_table(wanted(organization, **{"from": "2026-10-02", "to": "2026-10-03"}))
    (row,) = table.rows
    assert row.totals == table.totals
    assert row.totals.input_tokens == 654
    assert [(cost.currency, cost.amount) for cost in row.totals.costs] == [
        ("CNY", Decimal(3)),
        ("USD", Decimal(2)),
    ]
    assert (row.started_at, row.ended_at) == (at("2026-10-02T00:00Z"), at("2026-10-05T00:00Z"))
    assert table.summary.sessions == 1
    assert (
        session_table(wanted(organization, **{"from": "2026-10-05", "to": "2026-10-06"})).rows == ()
    )


def test_a_session_belongs_to_the_local_day_it_started(organization):
    organization.time_zone = "Asia/Kolkata"
    session(organization, "a", 1, 1, started_at=at("2026-10-01T18:30Z"))
    assert not session_table(
        wanted(organization, **{"from": "2026-10-01", "to": "2026-10-02"})
    ).rows
    assert session_table(wanted(organization, **{"from": "2026-10-02", "to": "2026-10-03"})).rows


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("-started", "dcba"), ("started", "abcd"), ("-input", "badc"), ("ratio", "dcab"),
        ("-cost", "cdab"), ("requests", "abcd"),
    ],
)  # fmt: skip
def test_pages_hold_every_session_once_in_order(organization, order, names):
    rows = [("a", 20, 10, 1), ("b", 30, 10, 1), ("c", 5, 10, 9), ("d", 9, 0, 2)]
    for day, (name, read, output, cost) in enumerate(rows, start=1):
        session(
            organization, name, read, output, cost=Decimal(cost),
            started_at=at(f"2026-10-0{day}T00:00Z"),
        )  # fmt: skip
    seen, after = "", None
    for _ in range(4):
        page = session_table(wanted(organization), order=order, limit=1, after=after)
        seen += page.rows[0].session_id
        after = page.rows[0].key
        assert page.summary.sessions == 4
        assert page.totals.input_tokens == 64
    assert not page.has_more
    assert sorted(seen) == ["a", "b", "c", "d"]
    if order not in ("-cost", "requests"):
        assert seen == names
    assert order != "-cost" or seen[:2] == "cd"


def test_an_unknown_order_is_refused(organization):
    with pytest.raises(FilterError) as error:
        session_table(wanted(organization), order="--started")
    assert error.value.code == "unknown_order"


def test_other_organizations_and_benchmarks_are_left_out(organization):
    SessionTotalFactory(input_tokens=1)
    session(organization, "a", 1, 1, purpose="benchmark")
    assert session_table(wanted(organization)).rows == ()
