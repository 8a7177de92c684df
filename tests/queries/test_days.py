"""Days answer what hours would: whole days from their own sums, what is left of a span from hours."""

from dataclasses import replace
from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from accounting.models import (
    AnswerDay,
    ApiKey,
    LatencyDay,
    Project,
    SessionWhole,
    UsageDay,
    UsageDayAttribute,
    UsageDayCaller,
    UsageDayCell,
    UsageEvent,
    UsageHour,
)
from accounting.queries.spend import usage_table, usage_totals
from tests.factories import OrganizationFactory, UsageHourFactory
from tests.queries.asking import at, wanted
from tests.queries.posted import NOON, posted, priced_organization

pytestmark = pytest.mark.django_db

#: Three local days of Kolkata, 5:30 ahead: the last hour of the 1st, the 2nd, the first of the 3rd.
HOURS = {
    "2026-10-01T17:30Z": 1,
    "2026-10-01T18:30Z": 2,
    "2026-10-02T17:30Z": 4,
    "2026-10-02T18:30Z": 8,
}


@pytest.fixture
def organization():
    organization = OrganizationFactory(time_zone="Asia/Kolkata")
    for hour, requests in HOURS.items():
        UsageHourFactory(organization=organization, hour=at(hour), requests=requests)
    return organization


def requests(organization, **params):
    return usage_totals(wanted(organization, **params)).requests


def test_whole_days_need_no_hours(organization):
    UsageHour.objects.all().delete()
    span = {"from": "2026-10-01", "to": "2026-10-04"}
    assert requests(organization, **span) == 15
    rows = usage_table(wanted(organization, bucket="day", group="model", **span)).rows
    assert [(row.bucket.day, row.totals.requests) for row in rows] == [(1, 1), (2, 6), (3, 8)]


@pytest.mark.parametrize(
    "params",
    [
        {"bucket": "hour"},
        {"bucket": "hour", "group": "key"},
        {"group": "user", "tz": "Asia/Colombo"},
        {"tz": "Asia/Colombo"},
    ],
)
def test_hours_and_other_zones_need_no_days(organization, params):
    for days in (UsageDay, UsageDayCaller, UsageDayCell):
        days.objects.all().delete()
    span = {"from": "2026-10-01", "to": "2026-10-04"}
    rows = usage_table(wanted(organization, **params, **span)).rows
    assert sum(row.totals.requests for row in rows) == 15


@pytest.mark.parametrize("group", ["user", "key"])
def test_whole_days_of_users_and_of_keys_need_no_hours(group):
    organization = priced_organization(time_zone="Asia/Kolkata")
    key = ApiKey.objects.create(
        organization=organization,
        project=Project.objects.get(organization=organization),
        name="ci",
        digest=b"ci",
    )
    by = {"user": "ann", "key": "ci"}[group]
    told = {"place": {"user_id": "ann", "api_key_id": key.pk}}
    posted(organization, told, told, {}, {"status": "error"}, at=NOON)
    posted(organization, told, at=NOON + timedelta(1))
    UsageHour.objects.all().delete()
    UsageDay.objects.all().delete()
    asked = {"from": "2026-10-01", "to": "2026-10-06", "bucket": "day"}
    found = usage_table(wanted(organization, group=group, **asked))
    assert [(row.group.value, row.totals.requests, row.totals.errors) for row in found.rows] == [
        ("", 1, 1), (by, 2, 0), (by, 1, 0),
    ]  # fmt: skip
    assert (found.totals.requests, found.is_slow) == (4, False)
    assert requests(organization, **{group: by}, **asked) == 3
    assert requests(organization, **{group + "!": by}, **asked) == 1
    (failed,) = usage_table(wanted(organization, group=group, status="error", **asked)).rows
    assert (failed.group.value, failed.totals.errors) == ("", 1)


def test_whole_days_of_projects_need_no_models_and_no_hours(organization):
    UsageHour.objects.all().delete()
    UsageDay.objects.all().delete()
    span = {"from": "2026-10-01", "to": "2026-10-04", "status": "ok"}
    rows = usage_table(wanted(organization, bucket="day", group="project", **span)).rows
    assert sorted((row.bucket.day, row.totals.requests) for row in rows) == [
        (1, 1), (2, 2), (2, 4), (3, 8),
    ]  # fmt: skip
    assert requests(organization, project=rows[0].group.value, **span) == 1


def test_books_of_before_get_the_days_of_their_callers():
    organization = priced_organization(time_zone="Asia/Kolkata")
    told = {"place": {"user_id": "ann"}}
    posted(organization, told, {}, {"response_model": "unknown"}, at=NOON)
    posted(organization, told, {"status": "error"}, at=NOON + timedelta(1))
    names = [field.attname for field in UsageDayCaller._meta.fields if field.name != "id"]
    kept = sorted(UsageDayCaller.objects.values_list(*names), key=str)
    UsageDayCaller.objects.all().delete()
    for migration in ("0015_days_of_callers", "0016_days_of_projects"):
        then = MigrationLoader(connection).project_state(("accounting", migration)).apps
        with connection.schema_editor() as editor:
            import_module(f"accounting.migrations.{migration}").fill(then, editor)
    assert sorted(UsageDayCaller.objects.values_list(*names), key=str) == kept
    assert len(kept) == 13


@pytest.mark.parametrize(
    "params",
    [
        {"group": "user", "sub": "key"},
        {"group": "user", "sub": "model"},
        {"group": "key", "project!": "other"},
        {"group": "team", "sub": "tag:env"},
        {"group": "tag:env", "project": "default"},
    ],
)
def test_whole_days_by_anything_need_no_hours_and_no_requests(params):
    organization = priced_organization(time_zone="Asia/Kolkata")
    told = {"place": {"user_id": "ann", "team": "red", "tags": (("env", "prod"),)}}
    posted(organization, told, {**told, "response_model": "unknown"}, {}, at=NOON)
    posted(organization, told, {"status": "error"}, at=NOON + timedelta(1))
    asked = {"from": "2026-10-01", "to": "2026-10-06", "bucket": "day", **params}
    requests = usage_table(wanted(organization, **asked, **{"session!": "x"}))
    for table in (UsageHour, UsageDay, UsageDayCaller, UsageDayAttribute, UsageEvent):
        table.objects.all().delete()
    found = usage_table(wanted(organization, **asked))
    assert (found.rows, found.totals) == (requests.rows, requests.totals)
    assert found.is_slow == ("tag:env" in params.values() or "tag:env" in params)
    assert found.totals.requests == 4


def test_cells_are_told_apart_by_all_that_days_are_cut_by():
    organization = priced_organization()
    places = ({}, {"team": "a,b"}, {"team": "a", "agent": "b"}, {"agent": "a"}, {"user_id": "a"},
              {"tags": (("env", "a"),)}, {"tags": (("app", "a"),)},
              {"tags": (("env", "a"), ("app", "a"))})  # fmt: skip
    posted(organization, *({"place": place} for place in (*places, *places)))
    cells = UsageDayCell.objects.values_list("requests", "cell")
    assert [requests for requests, _ in cells] == [2] * len(places)
    assert len({bytes(cell) for _, cell in cells}) == len(places)


def test_books_of_before_get_the_days_of_everything():
    organization = priced_organization(time_zone="Asia/Kolkata")
    told = {"place": {"user_id": "ann", "team": "red", "api_key_id": 7,
                      "tags": (("env", "prod"), ("app", "x"))}}  # fmt: skip
    posted(
        organization, told, {**told, "cache_read_input_tokens": 7}, {"response_model": "unknown"}
    )
    posted(organization, told, {"status": "error", "part": 1}, at=NOON + timedelta(1))
    kept = _cells()
    UsageDayCell.objects.all().delete()
    with connection.schema_editor() as editor:
        import_module("accounting.migrations.0017_days_of_everything").fill(apps, editor)
    assert _cells() == kept
    assert len(kept) == 4


def _cells():
    rows = UsageDayCell.objects.order_by("day", "cell").values()
    return [{**row, "id": None, "cell": bytes(row["cell"])} for row in rows]


def test_a_span_that_cuts_days_takes_its_ends_from_hours(organization):
    days = wanted(organization, **{"from": "2026-10-01", "to": "2026-10-04"})
    cut = replace(days, starts_at=at("2026-10-01T17:30Z"), ends_at=at("2026-10-02T19:30Z"))
    within = replace(days, starts_at=at("2026-10-01T18:30Z"), ends_at=at("2026-10-02T17:30Z"))
    assert (usage_totals(cut).requests, usage_totals(within).requests) == (15, 2)
    UsageDayAttribute.objects.all().delete()
    assert (usage_totals(cut).requests, usage_totals(within).requests) == (9, 2)


def test_books_of_before_get_their_days_from_their_hours(organization):
    keys = ("organization_id", "day", "model", "requests", "parts", "cost", "currency")
    kept = sorted(UsageDay.objects.values_list(*keys))
    UsageDay.objects.all().delete()
    with connection.schema_editor() as editor:
        import_module("accounting.migrations.0006_usage_days").fill(apps, editor)
    assert sorted(UsageDay.objects.values_list(*keys)) == kept
    assert sorted(row[3] for row in kept) == [1, 2, 4, 8]


@pytest.mark.parametrize("table", [LatencyDay, SessionWhole, AnswerDay])
def test_books_of_before_get_what_faster_questions_are_asked_of(table):
    organization = priced_organization(time_zone="Asia/Kolkata")
    told = [
        {"session_id": "s1", "duration_ms": 5.0, "ttft_ms": 2.0, "finish_reason": "stop"},
        {"session_id": "s1", "response_model": "jade", "finish_reason": "max_tokens"},
        {"session_id": "s2", "status": "error", "output_tokens": None, "max_output_tokens": 9},
        {"session_id": "s2", "output_tokens": 0, "finish_reason": "stop", "duration_ms": 7.0},
        {"response_model": "unknown", "output_tokens": None, "finish_reason": "stop"},
    ]
    posted(organization, *told, at=NOON)
    posted(organization, *told[:2], at=NOON + timedelta(1))
    names = [field.attname for field in table._meta.fields if field.name != "id"]
    kept = sorted(table.objects.values_list(*names), key=str)
    for each in (LatencyDay, SessionWhole, AnswerDay):
        each.objects.all().delete()
    with connection.schema_editor() as editor:
        import_module("accounting.migrations.0013_faster_questions").fill(apps, editor)
    assert sorted(table.objects.values_list(*names), key=str) == kept
    assert len(kept) > 1
