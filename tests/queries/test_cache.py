"""What caches saved, and what moved the hit rate."""

import json
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.domain.moves import Share, moves
from accounting.domain.savings import CacheCost
from accounting.models import UsageHour
from accounting.queries.cache import cache_savings
from accounting.queries.cache_moves import cache_moves
from accounting.queries.prices import loaded_rates
from accounting.services.pricebooks import import_table
from tests.factories import OrganizationFactory
from tests.queries.asking import at, wanted
from tests.queries.posted import NOON, posted, priced_organization


@pytest.fixture
def organization(db):
    return priced_organization()


def cached(model, sent, read, written=None, **more):
    return {
        "response_model": model,
        "input_tokens": sent,
        "cache_read_input_tokens": read,
        "cache_write_input_tokens": written,
        **more,
    }


def test_money_saved_the_premium_of_writing_and_what_is_left(
    organization, django_assert_num_queries
):
    posted(organization, cached("jade", 1_000_000, 600_000, 200_000))
    loaded_rates(organization.pk)
    with django_assert_num_queries(2):
        found = cache_savings(wanted(organization))
    (row,) = found.rows
    ((currency, cost),) = row.costs
    assert (row.group.value, currency) == ("jade", "USD")
    assert (row.hit_rate, row.coverage) == (Fraction(3, 5), 1)
    assert (cost.read_at_input, cost.read_paid) == (Decimal("1.8"), Decimal("0.18"))
    assert (cost.written_at_input, cost.written_paid) == (Decimal("0.6"), Decimal("0.75"))
    assert (cost.saved, cost.write_premium, cost.net) == (
        Decimal("1.62"), Decimal("0.15"), Decimal("1.47"),
    )  # fmt: skip
    assert cost.reads_per_write == 3
    assert cost.break_even == Fraction(5, 18)
    assert found.whole.costs == row.costs
    assert not found.is_slow


def test_only_what_reports_cache_is_in_the_rate_and_the_rest_is_said(organization):
    posted(
        organization,
        cached("opal", 100, 50),
        {"response_model": "opal", "input_tokens": 900},
        cached("ruby", 100, 90),
        cached("opal", 100, 0, status="error"),
    )
    found = cache_savings(wanted(organization, status="ok"))
    assert [(row.group.value, row.hit_rate, row.coverage) for row in found.rows] == [
        ("opal", Fraction(1, 2), Fraction(1, 10)),
        ("ruby", Fraction(9, 10), 1),
    ]
    assert (found.whole.hit_rate, found.whole.coverage) == (Fraction(7, 10), Fraction(2, 11))
    assert dict(found.rows[1].costs) == {"": CacheCost(unpriced_tokens=90)}
    assert dict(found.whole.costs)["USD"].saved == Decimal("0.00002")


def test_each_hour_has_its_own_price(organization):
    change = {
        "book": {"code": "own"},
        "rates": [
            {"provider": "testing", "model": "opal", "unit": "input", "price": "1",
             "from": (NOON + timedelta(hours=1)).isoformat()},
        ],
    }  # fmt: skip
    import_table(json.dumps(change).encode(), organization=organization)
    for hours in (0, 1):
        posted(organization, cached("opal", 10**6, 10**6), at=NOON + timedelta(hours=hours))
    ((_, cost),) = cache_savings(wanted(organization)).whole.costs
    assert (cost.read_at_input, cost.saved) == (Decimal("1.5"), Decimal("1.3"))


@pytest.mark.django_db
def test_days_are_enough_where_no_price_changes_within_one(django_assert_num_queries):
    organization = priced_organization(time_zone="Asia/Kolkata")
    change = {
        "book": {"code": "own"},
        "rates": [
            {"provider": "testing", "model": "opal", "unit": "input", "price": "1",
             "from": "2026-10-02T00:00:00+05:30"},
            {"provider": "testing", "model": "jade", "unit": "input", "price": "4",
             "from": "2026-10-05T12:00:00+05:30"},
        ],
    }  # fmt: skip
    import_table(json.dumps(change).encode(), organization=organization)
    for moment in ("2026-10-01T18:29Z", "2026-10-01T18:30Z", "2026-10-05T06:29Z"):
        posted(organization, cached("opal", 10**6, 10**6), at=at(moment))
    posted(organization, cached("jade", 10**6, 10**6), at=NOON)
    loaded_rates(organization.pk)
    UsageHour.objects.all().delete()
    with django_assert_num_queries(2):
        found = cache_savings(wanted(organization))
    assert [dict(row.costs)["USD"].read_at_input for row in found.rows] == [3, Decimal("2.5")]


def test_a_price_that_follows_the_clock_holds_in_its_hours(organization, django_assert_num_queries):
    night = {
        "book": {"code": "own"},
        "rates": [
            {"provider": "testing", "model": "opal", "unit": "input", "price": "0.25",
             "from": "2020-01-01", "window": {"zone": "UTC", "from": "22:00", "to": "06:00"}},
        ],
    }  # fmt: skip
    import_table(json.dumps(night).encode(), organization=organization)
    for hours in (9, 10, 17, 18):
        posted(organization, cached("opal", 10**6, 10**6), at=NOON + timedelta(hours=hours))
    posted(organization, cached("opal", 10**6, 10**6), cached("jade", 10**6, 10**6))
    loaded_rates(organization.pk)
    with django_assert_num_queries(3):
        found = cache_savings(wanted(organization))
    assert [dict(row.costs)["USD"].read_at_input for row in found.rows] == [3, 2]
    assert (found.whole.hit_rate, found.is_slow) == (1, False)
    by_team = cache_savings(wanted(organization, group="team"))
    assert (by_team.whole, by_team.is_slow) == (found.whole, True)
    only = cache_savings(wanted(organization, **{"model!": "opal"}))
    assert [dict(row.costs)["USD"].read_at_input for row in only.rows] == [3]


def test_a_model_without_a_price_for_reads_saves_nothing_by_them(organization):
    plain = {
        "book": {"code": "own"},
        "rates": [
            {
                "provider": "testing",
                "model": "flat",
                "unit": unit,
                "price": "2",
                "from": "2020-01-01",
            }
            for unit in ("input", "output")
        ],
    }
    import_table(json.dumps(plain).encode(), organization=organization)
    posted(organization, cached("flat", 1_000, 400, 100))
    ((_, cost),) = cache_savings(wanted(organization)).whole.costs
    assert (cost.read_paid, cost.saved, cost.write_premium) == (Decimal("0.0008"), 0, 0)
    assert (cost.break_even, cost.reads_per_write) == (0, 4)


def test_by_any_group(organization):
    posted(organization, cached("jade", 100, 50, place={"team": "red"}), cached("jade", 100, 0))
    by_user = cache_savings(wanted(organization, group="user"))
    assert [row.group.value for row in by_user.rows] == [""]
    by_team = cache_savings(wanted(organization, group="team"))
    assert [(row.group.value, row.hit_rate) for row in by_team.rows] == [
        ("none", 0), ("red", Fraction(1, 2)),
    ]  # fmt: skip
    assert (by_user.is_slow, by_team.is_slow) == (False, False)
    twice = cache_savings(wanted(organization, group="team", user=""))
    assert (twice.whole, twice.is_slow) == (by_team.whole, False)
    assert by_user.whole == by_team.whole


def test_without_usage_nothing_was_hit_or_saved(db):
    found = cache_savings(wanted(OrganizationFactory()))
    assert (found.rows, found.whole.hit_rate, found.whole.costs) == ((), None, ())


@pytest.mark.parametrize(
    ("cost", "break_even"),
    [
        (CacheCost(), None),
        (CacheCost(written_tokens=5, written_at_input=Decimal(5), written_paid=Decimal(5)), 0),
        (CacheCost(written_tokens=5, written_paid=Decimal(1)), None),
        (CacheCost(written_tokens=5, written_paid=Decimal(1), read_tokens=2), None),
    ],
)
def test_break_even_where_there_is_none(cost, break_even):
    assert cost.break_even == break_even


def test_what_moved_the_rate_adds_up_to_its_change(organization, django_assert_num_queries):
    posted(organization, cached("jade", 100, 90), cached("opal", 100, 50), at=NOON - timedelta(3))
    posted(organization, cached("jade", 100, 60), cached("opal", 300, 150), at=NOON + timedelta(1))
    days = {"from": "2026-10-01", "to": "2026-10-06"}
    asked = wanted(organization, now=at("2026-11-01T00:00Z"), **days)
    with django_assert_num_queries(2):
        found = cache_moves(asked)
    assert (found.before, found.after) == (Fraction(7, 10), Fraction(21, 40))
    assert [(member.value, move.own, move.weight) for member, move in found.groups] == [
        ("jade", Fraction(-9, 80), Fraction(-11, 320)),
        ("opal", 0, Fraction(-9, 320)),
    ]
    assert sum(move.whole for _, move in found.groups) == found.after - found.before
    assert cache_moves(wanted(organization, compare="none")) is None


def test_nothing_moved_where_there_was_nothing_before(organization):
    posted(organization, cached("jade", 100, 90))
    found = cache_moves(wanted(organization))
    assert (found.before, found.after, found.groups) == (None, Fraction(9, 10), ())


shares = st.dictionaries(
    st.sampled_from("abcd"),
    st.integers(1, 10**9).flatmap(
        lambda whole: st.builds(Share, numerator=st.integers(0, whole), denominator=st.just(whole))
    ),
    min_size=1,
)


@given(shares, shares)
def test_moves_always_add_up(before, after):
    def whole(side):
        return Fraction(
            sum(s.numerator for s in side.values()), sum(s.denominator for s in side.values())
        )

    found = moves(before, after)
    assert sum(move.whole for move in found.values()) == whole(after) - whole(before)
    assert moves({}, after) is moves(before, {}) is None
