"""What counts as breaking a client of the OpenAPI schema, and that the committed one breaks none."""

import copy
import json

import pytest

from accounting.api.breaking import breaking_changes
from accounting.config import openapi

PATH = "/api/v1/things"
OLD = {
    "paths": {
        PATH: {
            "get": {
                "parameters": [
                    {"$ref": "#/components/parameters/limit"},
                    {"in": "query", "name": "order", "schema": {"enum": ["up", "down"]}},
                ],
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}
                        }
                    },
                    "400": {"content": {}},
                },
            },
            "post": {
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {"name": {"type": "string"}},
                                "required": ["name"],
                            }
                        }
                    }
                },
                "responses": {"202": {}},
            },
        }
    },
    "components": {
        "parameters": {"limit": {"in": "query", "name": "limit", "schema": {"type": "integer"}}},
        "schemas": {
            "Thing": {
                "type": "object",
                "properties": {
                    "cost": {"type": "string", "format": "decimal", "nullable": False},
                    "state": {"enum": ["open", "closed"]},
                    "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}},
                    "by_currency": {"type": "object", "additionalProperties": {"type": "string"}},
                },
                "required": ["cost"],
            }
        },
    },
}


def changed(change):
    new = copy.deepcopy(OLD)
    change(new, new["paths"][PATH]["get"], new["components"]["schemas"]["Thing"])
    return new


def thing(name, **fields):
    return lambda _new, _get, shape: shape["properties"].setdefault(name, {}).update(fields)


def without(name):
    return lambda _new, _get, shape: shape["properties"].pop(name)


def parameter(**told):
    return lambda _new, get, _shape: get["parameters"].append({"in": "query", **told})


def body(new):
    return new["paths"][PATH]["post"]["requestBody"]["content"]["application/json"]["schema"]


ANSWER = f"GET {PATH} 200"
BREAKS = {
    "an address is gone": (lambda new, _get, _shape: new["paths"].pop(PATH), f"GET {PATH} is gone"),
    "a method is gone": (lambda new, *_: new["paths"][PATH].pop("post"), f"POST {PATH} is gone"),
    "a field is gone": (without("cost"), f"{ANSWER}: the field cost is gone"),
    "a field is retyped": (
        thing("cost", type="number"),
        f"{ANSWER}: cost: type was string, is number",
    ),
    "a field of a field": (
        lambda _new, _get, shape: shape["properties"]["by_currency"].update(
            additionalProperties={"type": "number"}
        ),
        f"{ANSWER}: by_currency, each: type was string, is number",
    ),
    "a field has another format": (
        thing("cost", format="float"),
        f"{ANSWER}: cost: format was decimal, is float",
    ),
    "a field may be null": (
        thing("cost", nullable=True),
        f"{ANSWER}: cost: nullable was False, is True",
    ),
    "a field may be missing": (
        lambda _new, _get, shape: shape.update(required=[]),
        f"{ANSWER}: the field cost may be missing now",
    ),
    "a word may come that nobody knows": (
        thing("state", enum=["open", "closed", "lost"]),
        f"{ANSWER}: state: lost may come now",
    ),
    "a parameter is gone": (
        lambda _new, get, _shape: get["parameters"].pop(0),
        f"GET {PATH}: the query parameter limit is gone",
    ),
    "a parameter is retyped": (
        lambda new, *_: new["components"]["parameters"]["limit"].update(schema={"type": "string"}),
        f"GET {PATH}: the query parameter limit: type was integer, is string",
    ),
    "a parameter must be given": (
        lambda _new, get, _shape: get["parameters"][1].update(required=True),
        f"GET {PATH}: the query parameter order must be given now",
    ),
    "a new parameter must be given": (
        parameter(name="project", required=True),
        f"GET {PATH}: the new query parameter project must be given",
    ),
    "a word is taken no more": (
        lambda _new, get, _shape: get["parameters"][1].update(schema={"enum": ["up"]}),
        f"GET {PATH}: the query parameter order: down is taken no more",
    ),
    "an answer is gone": (
        lambda _new, get, _shape: get["responses"].pop("200"),
        f"{ANSWER} is answered no more",
    ),
    "an answer is of another kind": (
        lambda _new, get, _shape: get["responses"]["200"].update(content={"text/csv": {}}),
        f"{ANSWER}: application/json is answered no more",
    ),
    "a body must have a new field": (
        lambda new, *_: body(new).update(required=["name", "size"]),
        f"POST {PATH}: the body application/json: the field size must be sent now",
    ),
    "a body's field is gone": (
        lambda new, *_: body(new).update(properties={}),
        f"POST {PATH}: the body application/json: the field name is gone",
    ),
}
HARMLESS = {
    "nothing": lambda *_: None,
    "a new address": lambda new, *_: new["paths"].update({"/api/v1/more": {"get": {}}}),
    "a new field": thing("credits", type="string"),
    "a new parameter": parameter(name="colour"),
    "a new word to ask with": lambda _new, get, _shape: get["parameters"][1].update(
        schema={"enum": ["up", "down", "left"]}
    ),
    "a word less in answers": thing("state", enum=["open"]),
    "a field that is sure to be there": lambda _new, _get, shape: shape.update(
        required=["cost", "state"]
    ),
    "another description": lambda new, *_: new.update(info={"title": "x"}),
    "a body may leave out a field": lambda new, *_: body(new).update(required=[]),
    "another refusal": lambda _new, get, _shape: get["responses"].pop("400"),
    "a reference instead of the thing": lambda new, get, _shape: get["parameters"].__setitem__(
        0, new["components"]["parameters"]["limit"]
    ),
}


@pytest.mark.parametrize("name", BREAKS)
def test_what_breaks_a_client_is_told_with_its_place(name):
    change, said = BREAKS[name]
    assert said in breaking_changes(OLD, changed(change))


@pytest.mark.parametrize("name", HARMLESS)
def test_what_breaks_nobody_is_no_complaint(name):
    assert breaking_changes(OLD, changed(HARMLESS[name])) == []


def test_the_kept_schema_breaks_when_the_served_one_loses_a_field():
    """The comparison reads real schemas, references and all."""
    kept = json.loads(openapi.KEPT.read_text())
    served = copy.deepcopy(kept)
    del served["components"]["schemas"]["UsageRow"]["properties"]["cost"]
    assert breaking_changes(kept, served) == [
        "GET /api/v1/usage 200: rows, each: the field cost is gone"
    ]


def test_the_committed_schema_is_what_the_server_serves_and_breaks_nobody(client, db):
    served = client.get("/api/schema/").json()
    assert json.loads(openapi.PAGE.read_text()) == served
    assert openapi.complaints(openapi.PAGE.read_text()) == []


def test_a_schema_that_is_not_the_committed_one_is_a_complaint():
    found = openapi.complaints('{"paths": {}}')
    assert found[0] == "openapi.json is out of date; run `make docs`"
    assert "- GET /api/v1/usage is gone" in found
