"""Every trap of a log format stands in TRAPS.toml with the line of our own sample that shows it."""

import tomllib
from collections import Counter

import pytest

from ingest.formats import FORMATS
from ingest.formats.base import Outcome, Rejected
from ingest.formats.cutting import Layout
from tests.formats.folders import read_path
from tests.formats.reading import SAMPLES, detected

TRAPS = tomllib.loads((SAMPLES / "TRAPS.toml").read_text())["trap"]
FIELDS = {"id", "format", "trap", "sample", "line"}
IDS = [trap["id"] for trap in TRAPS]


def test_a_trap_is_named_once():
    assert [name for name, times in Counter(IDS).items() if times > 1] == []


def test_every_format_has_a_trap():
    assert {known.name for known in FORMATS} - {trap["format"] for trap in TRAPS} == set()


def test_only_formats_that_there_are_have_traps():
    assert {trap["format"] for trap in TRAPS} - {known.name for known in FORMATS} == set()


@pytest.mark.parametrize("trap", TRAPS, ids=IDS)
def test_a_trap_says_what_it_is_and_where_it_shows(trap):
    assert trap.keys() == FIELDS
    assert 15 <= len(trap["trap"]) <= 200
    path = SAMPLES / trap["sample"]
    assert path.is_file()
    assert trap["sample"].startswith(f"{trap['format']}/")
    assert detected(path.read_bytes(), trap["sample"]).format.name == trap["format"]


@pytest.mark.parametrize("trap", TRAPS, ids=IDS)
def test_the_line_of_a_trap_is_read(trap):
    """The line has an outcome, or lies in a document or stream that is read as a whole."""
    path = SAMPLES / trap["sample"]
    body = path.read_bytes()
    outcomes: list[Outcome] = list(read_path(path))
    lines = {outcome.line for outcome in outcomes}
    is_whole = detected(body, trap["sample"]).layout not in {Layout.JSONL, Layout.CSV, Layout.ARRAY}
    is_inside = 1 <= trap["line"] <= len(body.splitlines())
    assert trap["line"] in lines or (is_whole and is_inside)
    assert not all(isinstance(outcome, Rejected) for outcome in outcomes)
