"""A law: whatever is asked, REST over all pages, every file and the query layer say one total."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from accounting.queries.filters import usage_filter
from accounting.queries.spend import usage_totals
from accounting.services.demo import load_demo
from accounting.services.tenants import ensure_defaults
from tests.exports.reading import READERS, summed
from tests.factories import ProjectFactory, api_key
from tests.queries.posted import post, priced_organization, project_of
from tests.queries.test_additivity import SPAN, WHERE, record_of, requests

CUTS = (
    {},
    {"group": "model", "bucket": "day"},
    {"group": "project", "sub": "model"},
    {"group": "team", "bucket": "month"},
    {"bucket": "hour", "group": "status", "from": "2026-10-01", "to": "2026-12-01"},
)
LAYOUTS = ("csv", "xlsx", "json", "parquet")
TOKENS = ("input_tokens", "output_tokens", "requests", "unpriced_tokens")


def get(client, key, path, params):
    answer = client.get(f"/api/v1/{path}", params, headers={"X-Api-Key": key})
    assert answer.status_code == 200, answer.content
    return b"".join(answer) if answer.streaming else answer.json()


def paged(client, key, path, params, limit="7"):
    """The rows of all pages, and the totals that stand on each."""
    rows, totals, cursor = [], [], None
    while True:
        more = {"cursor": cursor} if cursor else {}
        answer = get(client, key, path, {**params, **more, "limit": limit})
        rows += answer["rows"]
        totals.append(answer["totals"])
        cursor = answer["next"]
        if not cursor:
            assert all(one == totals[0] for one in totals)
            return rows, totals[0]


def money(totals):
    """What totals of the query layer say, as columns of a file would sum up to."""
    costs = {f"cost_{cost.currency}": cost.amount for cost in totals.costs}
    counts = {name: Decimal(getattr(totals, name) or 0) for name in TOKENS}
    return {**costs, "credits": totals.credits or Decimal(), **counts}


def check_usage(client, organization, key, params, limit="7"):
    wanted = usage_filter({n: [v] for n, v in params.items()}, organization, timezone.now())
    expected = money(usage_totals(wanted))
    rows, totals = paged(client, key, "usage", params, limit)
    flat = [
        {**row, **{f"cost_{currency}": amount for currency, amount in row["cost"].items()}}
        for row in rows
    ]
    flat = [{name: row.get(name) for name in expected} for row in flat]
    assert summed(flat, *expected) == expected
    told = {**totals, **{f"cost_{one}": amount for one, amount in totals["cost"].items()}}
    assert {name: Decimal(str(told[name] or 0)) for name in expected} == expected
    for layout in LAYOUTS:
        content = get(client, key, f"exports/usage.{layout}", params)
        assert summed(READERS[layout](content), *expected) == expected, layout
    return expected


def check_requests(client, key, params, expected, layouts=LAYOUTS):
    """Single requests come to the same; a row has its currency beside its cost."""
    plain = {name: value for name, value in params.items() if name in {"from", "to", "range"}}
    for layout in layouts:
        found = READERS[layout](get(client, key, f"exports/requests.{layout}", plain))
        costs = {
            name: summed([row for row in found if row["currency"] == name[5:]], "cost")["cost"]
            for name in expected
            if name.startswith("cost_")
        }
        names = ("credits", "input_tokens", "output_tokens", "unpriced_tokens")
        sums = costs | summed(found, *names)
        assert sums == {name: expected[name] for name in sums}, layout


class TotalsOfRandomBooks(TestCase):
    @settings(max_examples=6)
    @given(
        st.lists(requests, min_size=1, max_size=12),
        st.sampled_from(WHERE[:2]),
        st.sampled_from(CUTS),
    )
    def test_are_the_same_everywhere(self, rows, where, cut):
        zone, middle = where
        organization = priced_organization(time_zone=zone)
        projects = [project_of(organization), ProjectFactory(organization=organization)]
        at = datetime.fromisoformat(middle)
        post(organization, *(record_of(n, row, at, projects) for n, row in enumerate(rows)))
        key = api_key(organization)
        params = {**SPAN, **cut}
        expected = check_usage(self.client, organization, key, params)
        if {"from": "2026-02-01"}.items() <= params.items():
            check_requests(self.client, key, params, expected)


@pytest.mark.django_db
@pytest.mark.parametrize("zone", ["UTC", pytest.param("Asia/Kolkata", marks=pytest.mark.slow)])
def test_the_demo_comes_to_the_same_total_everywhere(client, zone):
    organization = ensure_defaults()
    organization.time_zone = zone
    organization.save()
    load_demo(organization_id=organization.pk, now=datetime(2026, 11, 30, 12, tzinfo=UTC))
    key = api_key(organization)
    span = {"from": "2026-09-01", "to": "2026-12-01"}
    cut = {"group": "model", "bucket": "day"}
    expected = check_usage(client, organization, key, {**span, **cut}, limit="100")
    assert expected["requests"] > 3_000
    check_requests(client, key, span, expected, layouts=("csv", "json"))
