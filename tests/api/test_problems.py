"""Refusals: one table of codes, and one shape wherever they come from."""

import ast
from pathlib import Path
from unittest.mock import patch

import pytest
from django.db import OperationalError

from accounting.api.codes import CODES, status_of
from accounting.api.page import PAGE, page
from accounting.queries.filters import WORDS
from ingest.formats.codes import REFUSALS, REJECTIONS
from tests.factories import OrganizationFactory, api_key

ROOT = Path(__file__).parents[2]
#: What is called with a code -> which argument it is.
RAISED = {"FilterError": 0, "ProblemError": 0, "UnreadableError": 0, "problem": 0, "_refusal": 0}
RAISED |= {"_refused": 1}
#: What the command alone meets, since it reads paths, and the page that asks which columns a file has.
ELSEWHERE = {"not_found", "not_readable", "not_a_regular_file", "no_columns"}
DOORS = [("post", "/api/v1/events"), ("get", "/api/v1/usage"), ("get", "/api/v1/imports/1")]


def codes_in(tree):
    """The codes that a module's calls and classes name."""
    for node in ast.walk(tree):
        name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
        if name in RAISED and len(node.args) > RAISED[name]:
            code = node.args[RAISED[name]]
            if isinstance(code, ast.Constant):
                yield code.value


def test_every_code_that_is_given_stands_in_the_table():
    files = [*ROOT.glob("accounting/**/*.py"), *ROOT.glob("ingest/**/*.py")]
    given = {code for file in files for code in codes_in(ast.parse(file.read_text()))}
    given |= {f"unknown_{name}" for name in WORDS}
    assert {"unknown_parameter", "body_incomplete", "busy"} <= given
    assert sorted(given - CODES.keys() - {*REFUSALS, *REJECTIONS, *ELSEWHERE}) == []


def test_the_page_of_codes_is_the_table_in_the_code():
    assert PAGE.read_text() == page()


@pytest.mark.django_db
@pytest.mark.parametrize(("method", "path"), DOORS)
@pytest.mark.parametrize(
    ("headers", "code"),
    [({}, "unauthenticated"), ({"X-Api-Key": "tb_wrong"}, "bad_key")],
)
def test_whoever_is_not_known_is_told_so_in_the_same_words_everywhere(
    client, method, path, headers, code
):
    answer = getattr(client, method)(path, headers=headers)
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["WWW-Authenticate"] == 'Bearer realm="Tallybook"'
    told = {
        "unauthenticated": "send a valid key as 'Authorization: Bearer …' or 'X-Api-Key: …'",
        "bad_key": "the API key is unknown, expired or revoked",
    }[code]
    assert answer.json() == {
        "type": "about:blank",
        "title": "Unauthorized",
        "status": 401,
        "code": code,
        "detail": told,
    }


@pytest.mark.django_db
def test_a_key_without_the_scope_is_told_which_one_it_takes(client):
    organization = OrganizationFactory()
    reading = {"X-Api-Key": api_key(organization)}
    pushing = {"X-Api-Key": api_key(organization, scopes=["ingest"], name="pusher")}
    push = client.post("/api/v1/events", headers=reading)
    ask = client.get("/api/v1/usage", headers=pushing)
    assert (push.status_code, push.json()["code"]) == (403, "missing_scope")
    assert push.json()["detail"] == "this takes a key with the scope ingest, not read"
    assert (ask.status_code, ask.json()["code"]) == (403, "missing_scope")
    assert ask.json()["detail"] == "this takes a key with the scope admin or read, not ingest"


@pytest.mark.django_db
@pytest.mark.parametrize(("method", "path"), DOORS)
def test_without_the_database_every_door_says_when_to_come_again(client, method, path):
    with patch("accounting.services.tenants.key_of", side_effect=OperationalError("gone")):
        answer = getattr(client, method)(path, headers={"X-Api-Key": "tb_x"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert answer.json()["code"] == "unavailable"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "path"), [("get", "/api/v1/events"), ("delete", "/api/v1/usage")]
)
def test_another_method_is_told_which_are_answered(client, method, path):
    headers = {"X-Api-Key": api_key(OrganizationFactory())}
    answer = getattr(client, method)(path, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert answer["Allow"]


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["usage", "sessions", "estimate", "explain", "imports/1"])
def test_an_unknown_parameter_is_named(client, path):
    headers = {"X-Api-Key": api_key(OrganizationFactory())}
    told = client.get(f"/api/v1/{path}", {"colour": "red"}, headers=headers).json()
    assert (told["status"], told["code"]) == (400, "unknown_parameter")
    assert told["parameter"] == "colour"


@pytest.mark.django_db
def test_a_posted_question_takes_no_parameters_in_its_address(client):
    headers = {"X-Api-Key": api_key(OrganizationFactory())}
    answer = client.post(
        "/api/v1/estimate?turns=3", "{}", content_type="application/json", headers=headers
    )
    assert answer.json()["code"] == "unknown_parameter"


def test_a_code_of_a_log_that_has_no_status_of_its_own_is_a_bad_request():
    assert status_of("bad_gzip") == 400
    assert status_of("unknown_format") == 422
