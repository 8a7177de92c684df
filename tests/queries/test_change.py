"""Why a cost is not what it was."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.domain.bridge import EFFECTS, KINDS, Cell, bridge
from accounting.queries.change import change_explained
from accounting.services.pricebooks import import_table
from tests.factories import OrganizationFactory
from tests.queries.asking import at, wanted
from tests.queries.posted import posted, priced_organization

SEPTEMBER, OCTOBER = at("2026-09-10T12:00Z"), at("2026-10-10T12:00Z")


@pytest.fixture
def organization(db):
    return priced_organization()


def explained(organization, **params):
    return change_explained(wanted(organization, now=at("2026-11-02T00:00Z"), **params))


def effects(**moved):
    return {name: Decimal(moved.get(name, 0)) for name in EFFECTS}


def sent(tokens, output=0, read=None, model="opal", **more):
    return {
        "input_tokens": tokens, "output_tokens": output, "cache_read_input_tokens": read,
        "response_model": model, **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("september", "october", "moved"),
    [
        # opal: 0.5 in, 0.1 cached, 0.075 out; jade: 3 in, 15 out, each per million.
        ([sent(10**6)], [sent(10**6), sent(10**6)], {"volume": "0.5"}),
        ([sent(10**6)], [sent(10**6, model="jade")], {"mix": "2.5"}),
        ([sent(10**6, 10**6)], [sent(3 * 10**6, 2 * 10**6)], {"length": "1.075"}),
        ([sent(10**6)], [sent(10**6, read=800_000)], {"cache": "-0.32"}),
        ([], [sent(10**6)], {"volume": "0.5"}),
        ([sent(10**6)], [], {"volume": "-0.5"}),
        ([sent(10**6)], [sent(10**6), sent(10**6, model="ruby")], {}),
        (
            [sent(10**6)],
            [sent(10**6), sent(10**6, read=10**6), sent(3 * 10**6, model="jade")],
            {"volume": "1", "mix": "8.5", "cache": "-0.4"},
        ),
    ],
)
def test_one_cause_at_a_time_and_several(organization, september, october, moved):
    posted(organization, *september, at=SEPTEMBER)
    posted(organization, *october, at=OCTOBER)
    (change,) = explained(organization).changes
    assert change.currency == "USD"
    assert dict(change.bridge.effects) == effects(**moved)
    assert sum(change.bridge.effects.values()) == change.bridge.difference


def test_another_price_is_price(organization, django_assert_num_queries):
    dearer = {
        "book": {"code": "own"},
        "rates": [{"provider": "testing", "model": "opal", "unit": "input", "price": "0.7",
                   "from": "2026-10-01"}],
    }  # fmt: skip
    import_table(json.dumps(dearer).encode(), organization=organization)
    for when in (SEPTEMBER, OCTOBER):
        posted(organization, sent(10**6, 10**6), at=when)
    with django_assert_num_queries(2):
        found = explained(organization)
    (change,) = found.changes
    assert dict(change.bridge.effects) == effects(price="0.2")
    assert (change.bridge.before, change.bridge.after) == (Decimal("0.575"), Decimal("0.775"))
    assert (found.before.requests, found.after.requests) == (1, 1)
    assert change.corrections == (0, 0)


def test_a_failure_that_costs_nothing_is_another_request_of_another_kind(organization):
    posted(organization, sent(10**6), at=SEPTEMBER)
    nothing = {"status": "error", "usage_state": "missing"}
    posted(organization, sent(10**6), sent(None, None, **nothing), at=OCTOBER)
    (change,) = explained(organization).changes
    assert dict(change.bridge.effects) == effects(volume="0.5", mix="-0.5")


def test_unpriced_usage_is_told_beside_it_and_filters_hold(organization):
    posted(organization, sent(100), sent(100, model="ruby"), at=SEPTEMBER)
    posted(organization, sent(100), at=OCTOBER)
    found = explained(organization, model="ruby")
    assert (found.before.unpriced_requests, found.after.unpriced_requests) == (1, 0)
    assert found.changes == ()
    assert explained(organization, compare="none") is None


def test_nothing_changed_where_nothing_was(db):
    found = explained(OrganizationFactory())
    assert (found.changes, found.before.requests) == ((), 0)


amounts = st.decimals("-99", "99999", places=12)
cells = st.builds(
    Cell,
    requests=st.integers(0, 10**6),
    tokens=st.fixed_dictionaries(dict.fromkeys(KINDS, st.integers(0, 10**9))),
    costs=st.fixed_dictionaries(dict.fromkeys(KINDS, amounts)),
    other=amounts,
)
books = st.dictionaries(st.sampled_from("abcd"), cells)


@given(books, books)
def test_whatever_changed_the_parts_sum_to_the_difference_to_the_last_digit(before, after):
    found = bridge(before, after)
    assert sum(found.effects.values()) == found.difference == found.after - found.before


@given(books)
def test_nothing_moves_between_a_period_and_itself(same):
    assert set(bridge(same, same).effects.values()) == {Decimal(0)}
