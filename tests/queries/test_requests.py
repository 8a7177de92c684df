"""Single requests page by page."""

from datetime import timedelta
from decimal import Decimal

import pytest

from accounting.queries import requests
from accounting.queries.requests import Lineage, request_page
from tests.factories import ImportFactory, OrganizationFactory
from tests.queries.asking import wanted
from tests.queries.posted import NOON, posted, priced_organization

pytestmark = pytest.mark.django_db


@pytest.fixture
def organization():
    return priced_organization(time_zone="Europe/Berlin")


def test_pages_hold_every_request_once_newest_first_and_the_totals_of_all(
    organization, django_assert_num_queries
):
    for minute in range(3):
        # Two of one moment: the key decides between them.
        posted(organization, {}, {}, at=NOON + timedelta(minutes=minute))
    seen, after = [], None
    for _ in range(3):
        with django_assert_num_queries(5):
            page = request_page(wanted(organization), limit=2, after=after)
        assert page.totals.requests == 6
        seen += [row.key for row in page.rows]
        after = page.rows[-1].key
    assert not page.has_more
    assert len(set(seen)) == 6
    assert seen == sorted(seen, reverse=True)


@pytest.mark.parametrize("zone", ["Asia/Kolkata", "UTC", "America/New_York"])
def test_a_page_over_the_months_edge(zone):
    organization = priced_organization(time_zone=zone)
    edge = NOON.replace(day=31, hour=23)
    moments = [edge, edge + timedelta(hours=1), edge + timedelta(hours=1, minutes=1)]
    for moment in moments:
        posted(organization, {}, at=moment)
    asked = wanted(organization, **{"from": "2026-10-31", "to": "2026-11-02"})
    seen, after = [], None
    for _ in moments:
        (row,) = request_page(asked, limit=1, after=after).rows
        seen.append(row.occurred_at)
        after = row.occurred_at, row.dedupe_key
    assert seen == moments[::-1]


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "UTC", "America/New_York"])
def test_pages_over_days_with_few_requests_and_with_none(zone):
    organization = priced_organization(time_zone=zone)
    hours = [0, 1, 13, 25, 26, 27, 130, 131, 400]
    for hour in hours:
        both = [{"place": {"team": team}} for team in ("red", "blue")]
        posted(organization, *both, at=NOON + timedelta(hours=hour))
    for params in ({}, {"team": "red"}, {"team": "red", "tz": "Asia/Tokyo"}, {"operation!": "no"}):
        asked = wanted(organization, **params)
        for limit in (1, 2, 4, 100):
            seen, after, has_more = [], None, True
            while has_more:
                page = request_page(asked, limit=limit, after=after)
                seen += [row.key for row in page.rows]
                after, has_more = page.rows[-1].key, page.has_more
                assert len(page.rows) == limit or not has_more
            assert len(set(seen)) == len(seen) == len(hours) * (1 if "team" in params else 2)
            assert seen == sorted(seen, reverse=True)


@pytest.mark.parametrize(
    ("reason", "found"),
    [("length", ["length"]), ("max_tokens", ["max_tokens"]), ("stop", ["stop"]), ("Length", [])],
)
def test_requests_by_how_they_ended(organization, reason, found):
    posted(organization, *({"finish_reason": each} for each in ("length", "max_tokens", "stop")))
    rows = request_page(wanted(organization, finish_reason=reason)).rows
    assert [row.finish_reason for row in rows] == found
    others = request_page(wanted(organization, **{"finish_reason!": reason})).rows
    left = {"length", "max_tokens", "stop"} - {*found}
    assert {row.finish_reason for row in others} == left


def test_a_row_says_what_it_used_what_it_cost_and_where_it_was_read(organization):
    source = ImportFactory(organization=organization, name="calls.jsonl")
    place = {"import_id": source.pk, "path": "a/b.jsonl", "line": 7, "byte_offset": 512}
    posted(organization, {"source": "native", "place": place, "max_output_tokens": 10})
    (row,) = request_page(wanted(organization)).rows
    assert (row.input_tokens, row.output_tokens, row.cache_read_input_tokens) == (100, 10, None)
    assert (row.cost, row.currency, row.cost_state) == (Decimal("0.00005075"), "USD", "priced")
    assert (row.credits, row.max_output_tokens) == (Decimal("0.05075"), 10)
    assert row.occurred_at.isoformat() == "2026-10-01T14:00:00+02:00"
    assert (row.project.value, row.api_key.value) == ("default", "")
    assert row.lineage == Lineage(
        import_id=source.pk,
        import_name="calls.jsonl",
        path="a/b.jsonl",
        line=7,
        byte_offset=512,
        source="native",
    )


def test_an_unpriced_request_has_no_cost_and_an_unknown_count_is_none(organization):
    posted(
        organization, {"response_model": "ruby", "output_tokens": None, "usage_state": "partial"}
    )
    (row,) = request_page(wanted(organization)).rows
    assert (row.cost, row.currency, row.cost_state, row.output_tokens) == (
        None,
        "",
        "unpriced",
        None,
    )
    assert row.unpriced_tokens == 100


@pytest.mark.parametrize(
    ("params", "count"),
    [
        ({}, 3),
        ({"status": "error"}, 1),
        ({"error_origin": "gateway"}, 1),
        ({"session": "s1"}, 1),
        ({"tag:env": "prod"}, 1),
        ({"cost_state": "unpriced"}, 1),
        ({"model~": "OPAL", "status!": "error"}, 1),
        ({"from": "2026-10-02"}, 0),
    ],
)
def test_every_condition_holds_here_too(organization, params, count):
    posted(
        organization,
        {"session_id": "s1", "place": {"tags": (("env", "prod"),)}},
        {"status": "error", "error_origin": "gateway"},
        {"response_model": "ruby"},
    )
    page = request_page(wanted(organization, **params))
    assert len(page.rows) == count
    assert page.totals.requests + page.totals.errors == count


def test_however_many_are_asked_for_a_page_has_a_greatest_size(organization, monkeypatch):
    monkeypatch.setattr(requests, "MOST_REQUESTS", 2)
    posted(organization, {}, {}, {})
    page = request_page(wanted(organization), limit=10**9)
    assert (len(page.rows), page.has_more, page.totals.requests) == (2, True, 3)


def test_other_organizations_are_not_in_it(organization):
    posted(organization, {})
    assert request_page(wanted(OrganizationFactory())).rows == ()
