"""Ratios are ratios of sums, over what reports both sides; parts and totals are one calculation."""

from fractions import Fraction

import pytest

from accounting.domain.ratios import written_ratio
from accounting.exports.usage import usage_export
from accounting.queries.cache import cache_savings
from accounting.queries.series import usage_stack
from accounting.queries.spend import usage_table, usage_totals
from tests.failures.logs import AT, chat, event, message, transcript
from tests.ingest.conftest import ndjson
from tests.queries.asking import wanted

APRIL = {"from": "2026-04-01", "to": "2026-05-01"}


@pytest.fixture
def whole(books, ingest, log):
    """Read logs, each a list of lines; the filter of the month they lie in."""

    def read(*logs, **params):
        for number, lines in enumerate(logs):
            ingest(log(f"{number}.jsonl", ndjson(*lines)))
        return wanted(books, **params, **APRIL)

    return read


def exclusive(fresh, read=0, write=None, output=1, id="msg_1"):
    """A line of Claude Code, whose three input counts stand apart."""
    usage = {"cache_read_input_tokens": read}
    if write is not None:
        usage["cache_creation_input_tokens"] = write
    return transcript(message(id=id, fresh=fresh, output=output, **usage), uuid=id, at=AT)


def test_b175_exclusive_and_inclusive_sources_have_one_rate(whole):
    month = whole([exclusive(10, read=90)], [chat(prompt=100, output=1, cached_tokens=90)])
    totals = usage_totals(month)
    assert (totals.cache_read_input_tokens, totals.input_tokens) == (180, 200)
    assert totals.cache_hit_rate == Fraction(9, 10)


def test_b176_a_rate_above_one_is_not_clamped_it_never_arises(whole):
    totals = usage_totals(whole([exclusive(1_000, read=8_780, write=200)]))
    assert totals.cache_hit_rate == Fraction(8_780, 9_980)
    assert written_ratio(totals.cache_hit_rate) == "0.87976"


def test_b178_fresh_input_is_what_was_not_cached_and_the_ratio_holds_all_input(whole):
    totals = usage_totals(whole([exclusive(100, read=1_100, write=50, output=250)]))
    assert totals.uncached_input_tokens == 100
    assert totals.input_tokens == 1_250
    assert totals.input_output_ratio == 1 / Fraction("0.2")


def test_b180_rows_that_never_report_cache_are_not_in_the_rate_and_its_coverage_is_told(whole):
    silent = event("opal", id="b", input_tokens=900, output_tokens=1)
    telling = event("opal", id="a", input_tokens=100, cache_read_input_tokens=50, output_tokens=1)
    month = whole([telling, silent])
    totals = usage_totals(month)
    assert totals.cache_hit_rate == Fraction(1, 2)
    assert totals.cache_coverage == Fraction(1, 10)
    assert cache_savings(month).whole.coverage == Fraction(1, 10)


def test_b181_writes_are_no_hits_in_any_place(whole):
    month = whole([exclusive(10, read=30, write=60)])
    rate = Fraction(3, 10)
    assert usage_totals(month).cache_hit_rate == rate
    (row,) = usage_table(whole(group="model")).rows
    assert row.totals.cache_hit_rate == rate
    assert cache_savings(month).whole.hit_rate == rate


def test_b183_one_bad_record_takes_nothing_from_a_days_total(whole):
    good = [event("opal", id=f"r{n}", input_tokens=1_000, output_tokens=n) for n in range(3)]
    bad = event("opal", id="bad", input_tokens=-1, output_tokens=1)
    table = usage_table(whole([*good[:1], bad, *good[1:]], group="model", bucket="day"))
    assert (table.totals.requests, table.totals.input_tokens) == (3, 3_000)
    assert [row.totals for row in table.rows] == [table.totals]
    stack, drawn = usage_stack(whole(metric="input_tokens"))
    assert sum(sum(series.amounts) for series in stack.series) == drawn.totals.input_tokens
    sheet = usage_export(table.wanted)
    column = [one.name for one in sheet.columns].index("input_tokens")
    assert sum(row[column] for row in sheet.rows) == 3_000
