"""manage.py report and manage.py project."""

import json
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.factories import (
    OrganizationFactory,
    SessionTotalFactory,
    UsageHourFactory,
    api_key,
)
from tests.queries.asking import at
from tests.queries.posted import posted, priced_organization

pytestmark = pytest.mark.django_db
OCTOBER = ("--from", "2026-10-01", "--to", "2026-11-01")


def printed(*args):
    out = StringIO()
    call_command(*args, stdout=out)
    return out.getvalue()


@pytest.fixture
def organization():
    organization = OrganizationFactory(slug="default")
    for model, cost in [("a", "1.5"), ("b", "0.000000525")]:
        UsageHourFactory(
            organization=organization,
            model=model,
            input_tokens=100,
            cache_read_input_tokens=50,
            output_tokens=10,
            cost=Decimal(cost),
        )
    SessionTotalFactory(organization=organization, input_tokens=654, output_tokens=10)
    SessionTotalFactory(organization=organization, input_tokens=900, output_tokens=10)
    return organization


def test_json_may_be_asked_for_as_every_command_has_it(organization):
    asked = ("report", *OCTOBER, "--group", "model")
    assert printed(*asked, "--json") == printed(*asked, "--format", "json")
    assert printed(*asked) == printed(*asked, "--format", "table")
    with pytest.raises(CommandError) as raised:
        call_command(*asked, "--json", "--format", "csv")
    assert raised.value.returncode == 2


def test_a_workbook_that_can_not_be_written_is_wrong_usage(organization, tmp_path):
    where = ("--format", "xlsx", "--output", str(tmp_path / "nowhere" / "x.xlsx"))
    with pytest.raises(CommandError, match="No such file") as raised:
        call_command("report", *OCTOBER, *where)
    assert raised.value.returncode == 2


def test_report_prints_what_rest_answers(organization, client):
    lines = printed("report", *OCTOBER, "--group", "model", "--format", "json").splitlines()
    rows, totals = [json.loads(line) for line in lines[:-1]], json.loads(lines[-1])["totals"]
    body = client.get(
        "/api/v1/usage",
        {"from": "2026-10-01", "to": "2026-11-01", "group": "model"},
        headers={"X-Api-Key": api_key(organization)},
    ).json()
    # REST also says what the asked unit comes to.
    for answered in (*body["rows"], body["totals"]):
        assert answered.pop("amount_is_whole")
        assert answered.pop("amount")
    assert (rows, totals) == (body["rows"], body["totals"])
    assert totals["cost"] == {"USD": "1.500000525"}
    assert totals["session_ratio_median"] == "77.7"
    assert totals["cache_hit_rate"] == "0.5"
    assert totals["input_output_ratio"] == "10"


def test_report_as_a_table_shows_the_totals_below(organization):
    text = printed("report", *OCTOBER, "--group", "model", "--bucket", "day")
    shown = [line.replace("│", " ").split() for line in text.splitlines() if "│" in line]
    assert shown == [
        ["2026-10-01", "a", "1", "0", "100", "50", "10", "50.0", "10.0", "1.5", "0"],
        ["2026-10-01", "b", "1", "0", "100", "50", "10", "50.0", "10.0", "0.000000525", "0"],
        ["Total", "2", "0", "200", "100", "20", "50.0", "10.0", "1.500000525", "0"],
    ]
    assert text.endswith("2 sessions, median input/output 77.7\n")


def test_report_takes_filters(organization):
    text = printed("report", *OCTOBER, "--group", "model", "--filter", "model!=b")
    assert "1.5" in text
    assert "0.000000525" not in text


def test_report_takes_attributes_tags_and_another_zone():
    organization = priced_organization(slug="default")
    posted(organization, {"place": {"team": "red", "tags": (("env:a", "x=y"),)}}, {})
    for condition, requests in [("tag:env:a=x=y", 1), ("tag:env:a!=x=y", 1), ("team~=e", 2)]:
        args = ("--filter", condition, "--tz", "Europe/Berlin", "--format", "json")
        (line,) = printed("report", *OCTOBER, *args, "--group", "status").splitlines()[:-1]
        assert json.loads(line)["requests"] == requests
    text = printed("report", *OCTOBER, "--group", "tag:env:a", "--format", "csv")
    assert [line.split(",")[0] for line in text.splitlines()] == ["tag:env:a", "none", "x=y"]


def test_report_as_csv_and_xlsx(organization, tmp_path):
    text = printed("report", *OCTOBER, "--group", "model", "--format", "csv")
    assert [line.split(",")[0] for line in text.splitlines()] == ["model", "a", "b"]
    path = tmp_path / "usage.xlsx"
    printed("report", *OCTOBER, "--format", "xlsx", "--output", str(path))
    assert path.read_bytes().startswith(b"PK")


def test_report_of_another_organization(organization):
    OrganizationFactory(slug="other")
    text = printed("report", *OCTOBER, "--organization", "other", "--format", "json")
    assert json.loads(text)["totals"]["requests"] == 0


@pytest.mark.parametrize(
    "args",
    [
        ("--from", "yesterday"),
        ("--from", "2026-10-02", "--to", "2026-10-01"),
        ("--sub", "model"),
        ("--filter", "model"),
        ("--filter", "colour=red"),
        ("--filter", "tag:=red"),
        ("--group", "colour"),
        ("--tz", "Mars"),
        ("--organization", "nowhere"),
        ("--format", "xlsx"),
        ("--output", "x.csv"),
    ],
)
def test_a_question_that_cannot_be_asked_ends_with_2(organization, args):
    with pytest.raises(CommandError) as error:
        printed("report", *args)
    assert error.value.returncode == 2


def test_project_prints_the_run_rate():
    organization = OrganizationFactory(slug="default")
    for hour in ("2026-11-01T08:00Z", "2026-11-02T08:00Z", "2026-11-03T08:00Z"):
        UsageHourFactory(organization=organization, hour=at(hour), cost=Decimal("10.00"))
    assert json.loads(printed("project", "--as-of", "2026-11-03", "--json")) == {
        "from": "2026-11-01",
        "to": "2026-12-01",
        "as_of": "2026-11-03T00:00:00+00:00",
        "currency": "USD",
        "spent": "20",
        "low": None,
        "expected": "300",
        "high": None,
        "method": "run_rate",
        "history_days": 2,
        "reason": "run_rate_has_no_band",
    }
    assert printed("project", "--as-of", "2026-11-03") == (
        "20 USD spent, 300 USD expected by 2026-12-01 (run rate of 2 whole days; no band before 14)\n"
    )


def test_project_says_when_there_is_not_enough_data():
    OrganizationFactory(slug="default")
    (line,) = printed("project", "--as-of", "2026-11-01", "--json").splitlines()
    found = json.loads(line)
    assert (found["expected"], found["reason"]) == (None, "not_enough_data")
    assert "not enough data" in printed("project", "--as-of", "2026-11-01")


@pytest.mark.parametrize("day", ["soon", "1999-01-01", "2100-01-01"])
def test_project_of_no_day_ends_with_2(organization, day):
    with pytest.raises(CommandError) as error:
        printed("project", "--as-of", day)
    assert error.value.returncode == 2
