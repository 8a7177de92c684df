"""LiteLLM's columns of JSON: objects and lists, JSON inside a string, nothing, in rows and in CSV."""

import json

import pytest

from ingest.formats.base import Counted
from ingest.formats.cutting import Layout
from tests.formats.reading import told

CALLER = {"user_api_key_alias": "opal-key"}
TAGS = ["env:prod"]
HEAD = b"request_id,spend,prompt_tokens,startTime,completion_tokens,metadata,request_tags\n"


def quoted(cell):
    return '"' + cell.replace('"', '""') + '"'


def of_csv(metadata, tags):
    row = f"r1,0.5,10,2026-04-07 08:00:00,1,{quoted(metadata)},{quoted(tags)}\n"
    (found,) = told("litellm_spend_logs", HEAD + row.encode(), layout=Layout.CSV)
    return found


def of_json(metadata, tags):
    row = {
        "request_id": "r1",
        "spend": 0.5,
        "prompt_tokens": 10,
        "startTime": "2026-04-07T08:00:00Z",
        "completion_tokens": 1,
        "metadata": metadata,
        "request_tags": tags,
    }
    (found,) = told("litellm_spend_logs", json.dumps(row).encode(), layout=Layout.JSONL)
    return found


@pytest.mark.parametrize(
    "found",
    [
        of_json(CALLER, TAGS),
        of_json(json.dumps(CALLER), json.dumps(TAGS)),
        of_json(CALLER, {"env": "prod"}),
        of_csv(json.dumps(CALLER), json.dumps(TAGS)),
        of_csv(json.dumps(json.dumps(CALLER)), json.dumps(json.dumps(TAGS))),
    ],
    ids=["objects", "strings", "tags by name", "csv", "csv of strings"],
)
def test_who_called_and_its_tags_are_read_however_they_are_written(found):
    assert isinstance(found, Counted)
    place = found.records[0].place
    assert (place.api_key_name, place.environment, place.tags) == (
        "opal-key",
        "prod",
        (("env", "prod"),),
    )


@pytest.mark.parametrize("nothing", ["", "null", "None", "{}"])
def test_nothing_in_them_is_nothing(nothing):
    for found in (of_csv(nothing, "" if nothing == "{}" else nothing), of_json(nothing, None)):
        assert isinstance(found, Counted)
        assert (found.records[0].place.api_key_name, found.records[0].place.tags) == ("", ())


@pytest.mark.parametrize(
    ("metadata", "tags", "code"),
    [
        ([], TAGS, "bad_type"),
        (5, TAGS, "bad_type"),
        (CALLER, [1], "bad_type"),
        ("[]", TAGS, "not_an_object"),
        (CALLER, "[1]", "bad_tags"),
    ],
)
def test_what_is_neither_costs_its_own_row(metadata, tags, code):
    assert of_json(metadata, tags).code == code


def test_the_environment_is_the_first_of_its_tags_that_says_one():
    assert of_json(CALLER, ["env:", "environment:prod"]).records[0].place.environment == "prod"
