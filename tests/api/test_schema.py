"""The OpenAPI schema, and that answers are as it says."""

import pytest
from django.core.management import call_command
from drf_spectacular.validation import validate_schema

from ingest.api.bodies import PARAMETERS
from tests.factories import ImportFactory, SessionTotalFactory, UsageHourFactory, api_key

pytestmark = pytest.mark.django_db


@pytest.fixture
def schema(client):
    answer = client.get("/api/schema/")
    assert answer.status_code == 200
    return answer.json()


def test_it_is_valid_and_without_warnings(tmp_path):
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "x.yaml"))


def test_what_is_served_is_valid_with_the_push(schema):
    validate_schema(schema)
    assert set(schema["paths"]) == {
        "/api/v1/usage",
        "/api/v1/sessions",
        "/api/v1/imports/{import_id}",
        "/api/v1/estimate",
        "/api/v1/explain",
        "/api/v1/events",
    }


def test_money_is_text_and_unknown_is_allowed(schema):
    fields = schema["components"]["schemas"]["UsageRow"]["properties"]
    assert fields["cost"]["additionalProperties"] == {"type": "string", "format": "decimal"}
    assert fields["credits"]["nullable"]
    assert fields["input_tokens"] == {"type": "integer", "nullable": True}


def test_answers_have_exactly_the_fields_that_it_says(schema, client):
    source = ImportFactory()
    organization = source.organization
    UsageHourFactory(organization=organization)
    SessionTotalFactory(organization=organization)
    headers = {"X-Api-Key": api_key(organization)}
    shapes = schema["components"]["schemas"]

    def fields(name):
        return set(shapes[name]["properties"])

    days = {"from": "2026-10-01", "to": "2026-11-01"}
    for path, whole, row in [
        ("usage", "UsageAnswer", "UsageRow"),
        ("sessions", "SessionAnswer", "Session"),
    ]:
        body = client.get(f"/api/v1/{path}", days, headers=headers).json()
        assert set(body) == fields(whole)
        assert set(body["totals"]) == fields("Whole")
        assert set(body["rows"][0]) == fields(row)
    assert set(client.get(f"/api/v1/imports/{source.pk}", headers=headers).json()) == fields(
        "Import"
    )


def test_a_problem_is_as_it_says(schema, client):
    body = client.get("/api/v1/usage").json()
    assert set(body) == set(schema["components"]["schemas"]["Problem"]["required"])


def test_the_push_has_the_parameters_that_it_takes(schema):
    push = schema["paths"]["/api/v1/events"]["post"]
    told = {one["name"] for one in push["parameters"] if one["in"] == "query"}
    assert told == {*PARAMETERS, "wait"}
    assert {"400", "401", "403", "408", "409", "413", "415", "422", "503"} <= push[
        "responses"
    ].keys()
