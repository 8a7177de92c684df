"""Large counts, many rows, long sessions: nothing overflows, and no answer is as large as the books."""

from datetime import timedelta

import pytest
from django.apps import apps
from django.db import connection, models

from accounting.models import UsageEvent
from accounting.queries.requests import MOST_REQUESTS, request_page
from accounting.queries.session_turns import session_turns
from accounting.queries.spend import usage_totals
from tests.factories import api_key
from tests.failures.logs import event
from tests.ingest.conftest import ndjson
from tests.queries.asking import wanted
from tests.queries.posted import NOON, post, priced_organization, project_of
from tests.records import usage_record

APRIL = {"from": "2026-04-01", "to": "2026-05-01"}


def test_b248_two_rows_of_one_and_a_half_billion_tokens_are_three_billion(books, ingest, log):
    rows = [event("opal", id=f"r{n}", input_tokens=1_500_000_000, output_tokens=1) for n in (1, 2)]
    (told, _), code = ingest(log("large.jsonl", ndjson(*rows)))
    assert (told["input_tokens"], code) == (3_000_000_000, 0)
    assert usage_totals(wanted(books, **APRIL)).input_tokens == 3_000_000_000
    by_team = usage_totals(wanted(books, team="none", session="", **APRIL))
    assert by_team.input_tokens == 3_000_000_000


def test_b250_a_count_beyond_32_bits_is_kept_by_the_database_the_tests_run_on(books, ingest, log):
    assert connection.vendor == "postgresql"
    ingest(log("one.jsonl", ndjson(event(id="r", input_tokens=2_147_483_648, output_tokens=1))))
    assert UsageEvent.objects.get().input_tokens == 2_147_483_648


def test_b250_no_column_that_counts_is_narrower(db):
    narrow = {
        f"{model.__name__}.{field.name}"
        for app in ("accounting", "ingest")
        for model in apps.get_app_config(app).get_models()
        for field in model._meta.get_fields()
        if type(field) in {models.IntegerField, models.PositiveIntegerField}
        and ("tokens" in field.name or "requests" in field.name or "count" in field.name)
    }
    assert narrow == set()


@pytest.mark.django_db
def test_b251_a_page_has_a_greatest_size_and_a_question_beyond_it_is_refused(client):
    organization = priced_organization()
    project = project_of(organization)
    post(
        organization,
        *(
            usage_record(f"r{n}", at=NOON, project_id=project.pk, input_tokens=1, output_tokens=1)
            for n in range(MOST_REQUESTS + 1)
        ),
    )
    page = request_page(wanted(organization), limit=200_000)
    assert (len(page.rows), page.has_more) == (1_000, True)
    assert page.totals.requests == 1_001
    headers = {"X-Api-Key": api_key(organization)}
    answer = client.get("/api/v1/usage", {"limit": "200000"}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_limit")


@pytest.mark.django_db
def test_b253_a_session_of_twenty_thousand_requests_is_a_page_of_fifty_and_kept_sums(
    django_assert_num_queries,
):
    organization = priced_organization()
    project = project_of(organization)
    post(
        organization,
        *(
            usage_record(
                f"r{n}",
                at=NOON + timedelta(seconds=n),
                project_id=project.pk,
                session_id="long",
                input_tokens=100 + n,
                output_tokens=1,
            )
            for n in range(20_000)
        ),
    )
    with django_assert_num_queries(2):
        page = session_turns(organization.pk, "long")
    assert (len(page.turns), page.has_more, page.totals.requests) == (50, True, 20_000)
    middle = session_turns(organization.pk, "long", after=page.turns[-1].key)
    assert [turn.number for turn in middle.turns[:2]] == [51, 52]
    assert middle.turns[0].grown == 1
