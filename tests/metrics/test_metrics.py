"""What Prometheus scrapes: exact values, a bound on series, and a token of its own."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounting.api.metrics_text import bounded, exposition
from accounting.api.views.metrics import SCRAPES
from accounting.queries.metrics import Metric, Sample
from tests.factories import ImportFactory, api_key
from tests.queries.posted import posted, priced_organization

TOKEN = "a-token-of-the-site"


def sample(value, **labels):
    return Sample(labels=tuple(labels.items()), value=value)


@pytest.fixture
def scrape(client, settings):
    settings.METRICS_TOKEN = TOKEN
    SCRAPES.forget()

    def scraped(token=TOKEN):
        return client.get("/metrics", headers={"Authorization": f"Bearer {token}"})

    return scraped


@pytest.mark.django_db
def test_a_scrape_counts_what_the_books_hold(scrape):
    organization = priced_organization(slug="acme")
    posted(
        organization,
        {"input_tokens": 1_000_007, "cache_read_input_tokens": 7, "output_tokens": 10},
        {"response_model": "ruby", "input_tokens": 50, "output_tokens": 5},
        {"status": "error", "input_tokens": 0, "output_tokens": 0},
    )
    ImportFactory(
        organization=organization,
        state="reading",
        received_at=timezone.now() - timedelta(seconds=90),
    )
    ImportFactory(organization=organization, lines=3, recorded=2, rejected=1)
    answer = scrape()
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = answer.text.splitlines()
    opal = 'organization="acme",project="default",provider="testing",model="opal"'
    ruby = 'organization="acme",project="default",provider="testing",model="ruby"'
    for line in (
        "# TYPE tallybook_cost gauge",
        f"tallybook_requests{{{opal}}} 1",
        f"tallybook_errors{{{opal}}} 1",
        f'tallybook_tokens{{{opal},kind="uncached_input"}} 1000000',
        f'tallybook_tokens{{{opal},kind="cache_read"}} 7',
        f'tallybook_tokens{{{opal},kind="output"}} 10',
        f'tallybook_cost{{{opal},currency="USD"}} 0.50000145',
        f"tallybook_credits{{{opal}}} 500.00145",
        f"tallybook_unpriced_tokens{{{ruby}}} 55",
        f"tallybook_unpriced_requests{{{ruby}}} 1",
        'tallybook_newest_usage_timestamp_seconds{organization="acme"} 1790856000',
        'tallybook_import_lines{organization="acme",outcome="recorded"} 2',
        'tallybook_import_lines{organization="acme",outcome="rejected"} 1',
    ):
        assert line in lines
    assert not any(line.startswith(f"tallybook_cost{{{ruby}") for line in lines)
    (lag,) = [line for line in lines if line.startswith("tallybook_ingest_lag_seconds{")]
    assert 90 <= int(lag.split()[-1]) < 600


@pytest.mark.django_db
def test_only_the_token_opens_it(client, scrape, settings):
    key = api_key(priced_organization(), scopes=["read"])
    assert client.get("/metrics").status_code == 401
    assert client.get(f"/metrics?token={TOKEN}").status_code == 401
    for wrong in ("", key, TOKEN[:-1], f"{TOKEN}x", "é"):
        answer = scrape(wrong)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    settings.METRICS_TOKEN = ""
    assert [scrape(token).status_code for token in ("", TOKEN)] == [404, 404]


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_nothing_can_be_sent_to_it(settings, method):
    settings.METRICS_TOKEN = TOKEN
    answer = getattr(Client(enforce_csrf_checks=True), method)("/metrics")
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")
    assert answer.json()["code"] == "method_not_allowed"


@pytest.mark.django_db
def test_the_books_are_summed_once_for_whoever_asks_within_seconds(scrape):
    organization = priced_organization(slug="acme")
    posted(organization, {"input_tokens": 10, "output_tokens": 0})
    with CaptureQueriesContext(connection) as first:
        told = scrape().text
    statements = " ".join(query["sql"] for query in first)
    assert "accounting_usageday" in statements
    # Of hours only the first and the last are asked for.
    assert 'SUM("accounting_usagehour"' not in statements
    assert "accounting_usageevent" not in statements
    with CaptureQueriesContext(connection) as second:
        assert scrape().text == told
    assert len(second) == 0


def test_beyond_the_bound_the_last_series_are_others():
    samples = [
        sample(n, organization="a", project="p", provider="v", model=f"m{n:03}", currency=currency)
        for n in range(1, 301)
        for currency in ("CNY", "USD")
    ]
    found = bounded(samples)
    assert len(found) == 200
    assert sum(one.value for one in found) == sum(one.value for one in samples) == 90_300
    others = [one for one in found if ("model", "other") in one.labels]
    assert [dict(one.labels)["currency"] for one in others] == ["CNY", "USD"]
    assert {dict(one.labels)["project"] for one in others} == {"other"}
    # Of each currency the first 99 are kept; the others are 100 + 101 + … + 300.
    assert [one.value for one in others] == [40_200, 40_200]


def test_a_series_keeps_its_place_whatever_it_stands_at():
    def kept(values):
        samples = [
            sample(n, organization="a", project="p", provider="v", model=f"m{place:03}")
            for place, n in enumerate(values)
        ]
        return [one.labels for one in bounded(samples)]

    assert kept(range(300)) == kept(range(300, 0, -1))


@pytest.mark.django_db
def test_sums_of_the_books_are_gauges_for_they_may_fall(scrape):
    organization = priced_organization(slug="acme")
    posted(organization, {})
    ImportFactory(organization=organization, lines=1, recorded=1)
    types = [line for line in scrape().text.splitlines() if line.startswith("# TYPE")]
    assert len(types) == 10
    assert all(line.endswith(" gauge") for line in types)
    assert not any("_total" in line for line in types)


def test_too_many_organizations_become_others_too():
    samples = [
        sample(1, organization=f"o{n}", project="p", provider="v", model="m") for n in range(500)
    ]
    found = bounded(samples)
    assert len(found) == 200
    assert sum(one.value for one in found) == 500
    assert found[-1].labels[0] == ("organization", "other")


def test_a_project_that_is_called_other_is_no_second_series():
    samples = [
        sample(9, organization="a", project="other", provider="other", model="other"),
        *(sample(1, organization="a", project="p", provider="v", model=f"m{n}") for n in range(9)),
    ]
    found = bounded(samples, most=4)
    assert len({one.labels for one in found}) == len(found) <= 4
    assert sum(one.value for one in found) == 18


def test_labels_are_escaped_and_amounts_keep_their_digits():
    value = Decimal("12345678901234567890.000000000525")
    metric = Metric(name="x", meaning="m", samples=(sample(value, model='a"b\\c\nd'),))
    assert exposition([metric]).splitlines()[2] == (
        r'x{model="a\"b\\c\nd"} 12345678901234567890.000000000525'
    )
