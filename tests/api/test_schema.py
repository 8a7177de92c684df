"""The OpenAPI schema, and that answers are as it says."""

import re

import pytest
from django.core.management import call_command
from drf_spectacular.validation import validate_schema

from accounting.models import Run
from ingest.api.bodies import PARAMETERS
from tests.access.table import ROWS
from tests.factories import ImportFactory
from tests.queries.posted import posted

pytestmark = pytest.mark.django_db
#: By what the access matrix calls them; an address that answers nothing is in no schema.
NOT_TOLD = {"schema/", "v1/<path:rest>"}
ADDRESSES = {
    re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route.removeprefix("api/"))
    for route in ROWS
    if route.startswith("api/") and route.removeprefix("api/") not in NOT_TOLD
}
LISTS = {
    "usage": ("UsageAnswer", "UsageRow"),
    "sessions": ("SessionAnswer", "Session"),
    "requests": ("RequestsAnswer", "RequestRow"),
    "cache": ("CacheAnswer", "CacheRow"),
    "change": ("ChangeAnswer", "Change"),
    "dimensions": ("DimensionsAnswer", "Dimension"),
    "dimensions/model": ("ValuesAnswer", "Value"),
    "sessions/s": ("SessionTurns", "TurnRow"),
    "runs": ("RunsAnswer", "RunRow"),
    "prices": ("RatesAnswer", "RateRow"),
    "credit-rates": ("CreditRatesAnswer", "CreditRate"),
    "imports": ("ImportsAnswer", "ImportRow"),
    "projection": ("ProjectionAnswer", "Projection"),
}
DAYLESS = {"sessions/s", "runs", "prices", "credit-rates", "imports", "projection"}


@pytest.fixture
def schema(client):
    answer = client.get("/api/schema/")
    assert answer.status_code == 200
    return answer.json()


def test_it_is_valid_and_without_warnings(tmp_path):
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "x.yaml"))


def test_what_is_served_is_valid_with_the_push(schema):
    validate_schema(schema)
    assert set(schema["paths"]) == {f"/api/{path}" for path in ADDRESSES}


def test_money_is_text_and_unknown_is_allowed(schema):
    fields = schema["components"]["schemas"]["UsageRow"]["properties"]
    assert fields["cost"]["additionalProperties"] == {"type": "string", "format": "decimal"}
    assert fields["credits"]["nullable"]
    assert fields["input_tokens"] == {"type": "integer", "nullable": True}


@pytest.mark.parametrize("path", LISTS)
def test_answers_have_exactly_the_fields_that_it_says(schema, asks, priced, path):
    posted(priced, {"session_id": "s"})
    Run.objects.create(organization=priced, label="one", tool="vllm_bench")
    ImportFactory(organization=priced)
    shapes = schema["components"]["schemas"]
    whole, row = LISTS[path]
    body = asks(path).json() if path in DAYLESS else asks.october(path)
    assert set(body) == set(shapes[whole]["properties"])
    assert set(body["rows"][0]) == set(shapes[row]["properties"])
    if path in {"usage", "sessions"}:
        assert set(body["totals"]) == set(shapes["Whole"]["properties"])


def test_an_import_has_exactly_the_fields_that_it_says(schema, asks, priced):
    source = ImportFactory(organization=priced)
    body = asks(f"imports/{source.pk}").json()
    assert set(body) == set(schema["components"]["schemas"]["Import"]["properties"])


def test_only_what_fields_may_leave_out_is_not_required(schema):
    shapes = schema["components"]["schemas"]
    assert "required" not in shapes["UsageRow"]
    assert set(shapes["Whole"]["required"]) == set(shapes["Whole"]["properties"])


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
