"""Cursor's export under its three headers."""

from decimal import Decimal

import pytest

from ingest.formats.base import Counted
from ingest.formats.cutting import Layout
from tests.formats.folders import read_folder, read_path
from tests.formats.reading import SAMPLES, Books, detected, refused, sample, told, totals

TEAM, OLD = (SAMPLES / "cursor_csv" / name for name in ("team.csv", "old.csv"))


def test_totals_are_right():
    books = Books.of(read_folder("cursor_csv"))
    assert totals(books) == (9, 199318, 188005, 820, 2258, None)
    assert books.errors == 1


@pytest.mark.parametrize("name", ["team.csv", "old.csv", "kinds.csv"])
def test_each_header_is_recognised(name):
    found = detected(sample(f"cursor_csv/{name}"))
    assert (found.format.name, found.layout) == ("cursor_csv", Layout.CSV)


def test_the_four_columns_are_apart_from_each_other():
    counts = next(read_path(TEAM)).records[0].use.counts
    assert (counts.input_tokens, counts.cache_write_input_tokens) == (93000, 400)


def test_equal_rows_of_one_file_are_two_requests_and_another_export_adds_none():
    lines = sample("cursor_csv/team.csv").splitlines(keepends=True)
    overlap = told("cursor_csv", b"".join(lines[:3]), layout=Layout.CSV)
    assert Books.of(overlap).requests == 2
    assert Books.of([*read_path(TEAM), *overlap]) == Books.of(read_path(TEAM))


def test_words_in_the_cost_column_are_no_amount():
    costs = [o.records[0].use.reported_cost for o in read_path(TEAM) if isinstance(o, Counted)]
    assert costs == [Decimal("0.07"), Decimal("0.07"), None, None, None, None, 0]
    old = [o.records[0].use.reported_cost for o in read_path(OLD)]
    assert old == [Decimal("0.12"), Decimal("0.01")]


def test_kinds_that_nobody_pays_are_not_billable():
    uses = [o.records[0].use for o in read_path(TEAM) if isinstance(o, Counted)]
    assert [u.status for u in uses] == ["ok", "ok", "ok", "error", "cancelled", "ok", "ok"]
    assert [u.billable for u in uses] == [True, True, True, False, False, True, True]


def test_a_total_that_leaves_the_first_column_out_is_believed():
    outcome = list(read_path(TEAM))[5]
    counts = outcome.records[0].use.counts
    assert (counts.input_tokens, counts.cache_write_input_tokens) == (12990, None)
    assert outcome.warnings == ("inconsistent_total",)


def test_a_day_without_a_time_is_its_midnight():
    place = next(read_path(OLD)).records[0].place
    assert place.started_at.isoformat() == "2025-03-01T00:00:00+00:00"
    assert place.time_quality == "date"


def test_a_decimal_comma_is_rejected():
    assert refused(read_path(TEAM)) == [(8, "bad_amount")]


def test_a_cloud_agent_is_a_session():
    place = list(read_path(TEAM))[2].records[0].place
    assert place.session_id == "bc-7"
    assert dict(place.tags) == {"max_mode": "Yes", "automation_id": "auto-1"}
