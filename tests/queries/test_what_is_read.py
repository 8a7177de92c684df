"""No question asks more statements than it says, or reads requests where a rollup can answer."""

import re
from dataclasses import replace
from itertools import combinations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounting.queries.cache import cache_savings
from accounting.queries.cache_moves import cache_moves
from accounting.queries.change import change_explained
from accounting.queries.coverage import usage_coverage
from accounting.queries.data_health import data_health
from accounting.queries.exploring import explore
from accounting.queries.failures import failures
from accounting.queries.grammar import (
    ATTRIBUTES,
    CALLERS,
    DAY_DIMENSIONS,
    DIMENSIONS,
    HOUR_DIMENSIONS,
)
from accounting.queries.latency import latency_table
from accounting.queries.mixes import observed_mix
from accounting.queries.months import month_rows
from accounting.queries.overview import overview
from accounting.queries.prices import loaded_rates
from accounting.queries.projection import month_projections
from accounting.queries.reported import reported_usage
from accounting.queries.requests import request_page
from accounting.queries.session_shapes import session_shapes
from accounting.queries.session_spread import session_spread
from accounting.queries.session_turns import session_turns
from accounting.queries.sessions import session_summary, session_table, session_totals
from accounting.queries.sources import sources_of
from accounting.queries.spend import usage_table, usage_totals
from accounting.queries.tag_keys import tag_keys
from accounting.queries.truncation import truncation
from accounting.queries.unpriced import models_without_price
from accounting.services.dryrun import SHADOWED
from accounting.services.rollup_sums import ROLLUPS
from tests.queries.asking import NOW, wanted
from tests.queries.posted import posted, priced_organization

pytestmark = pytest.mark.django_db
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
         "eleven", "twelve", "thirteen", "fourteen")  # fmt: skip
LEDGER = re.compile(r'(FROM|JOIN) "accounting_usageevent"')
HOURS = re.compile(r'(FROM|JOIN) "accounting_usagehour"')

#: Question -> at most so many statements, with names of projects or keys where it may need them.
OF_ROLLUPS = {
    usage_totals: 1,
    usage_table: 2,
    session_totals: 1,
    session_summary: 1,
    session_table: 4,
    cache_savings: 4,
    cache_moves: 3,
    change_explained: 2,
    latency_table: 3,
    observed_mix: 2,
    month_projections: 4,
    overview: 15,
    explore: 5,
    session_spread: 1,
    data_health: 6,
    tag_keys: 1,
    reported_usage: 1,
}
#: The same of those that no rollup can answer: pages of requests, and what is marked slow.
OF_REQUESTS = {request_page: 5, truncation: 3, failures: 4, usage_coverage: 1}


@pytest.fixture
def organization():
    organization = priced_organization()
    place = {"user_id": "ann", "team": "red", "agent": "a", "environment": "prod",
             "cost_center": "R&D", "tags": (("env", "prod"),)}  # fmt: skip
    request = {"session_id": "s1", "source": "native", "duration_ms": 5.0, "place": place}
    posted(organization, request, {**request, "response_model": "jade", "session_id": "s2"})
    loaded_rates(organization.pk)
    return organization


def read(question, *arguments):
    """The statements of one question."""
    with CaptureQueriesContext(
        connection,
    ) as captured:
        question(*arguments)
    return [each["sql"] for each in captured.captured_queries]


def numbers_in(question):
    """Every number of statements that a docstring names."""
    text = re.sub(r"\s+", " ", question.__doc__.lower())
    return {WORDS.index(word) for word in re.findall(r"[a-z]+", text) if word in WORDS}


@pytest.mark.parametrize("question", [*OF_ROLLUPS, *OF_REQUESTS], ids=lambda each: each.__name__)
def test_no_more_statements_than_the_docstring_says(organization, question):
    most = (OF_ROLLUPS | OF_REQUESTS)[question]
    asked = wanted(organization, now=NOW, group="project", bucket="day")
    assert len(read(question, asked)) <= most
    assert numbers_in(question), "says how many statements it takes"


def test_questions_about_one_thing(organization):
    asked = wanted(organization)
    rows = session_table(asked).rows
    assert len(read(session_shapes, asked, rows)) == 1
    assert len(read(session_turns, organization.pk, "s1")) == 2
    assert len(read(month_rows, organization, NOW)) == 2
    assert len(read(models_without_price, organization.pk)) <= 2


@pytest.mark.parametrize("question", OF_ROLLUPS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("name", ["model", "provider"])
def test_rollups_answer_without_requests(organization, question, name):
    for params in ({}, {"group": name}, {name: "opal"}):
        assert not any(map(LEDGER.search, read(question, wanted(organization, **params))))


@pytest.mark.parametrize("group", [*HOUR_DIMENSIONS, *ATTRIBUTES, "tag:env"])
@pytest.mark.parametrize("bucket", ["", "day", "month"])
def test_one_dimension_is_never_read_from_requests(organization, group, bucket):
    asked = wanted(organization, group=group, bucket=bucket)
    assert not any(map(LEDGER.search, read(usage_table, asked)))
    assert not usage_table(asked).is_slow


@pytest.mark.parametrize(("group", "sub"), [*combinations([*DIMENSIONS, "tag:env", "tag:app"], 2)])
def test_no_pair_of_dimensions_is_read_from_requests(organization, group, sub):
    for bucket in ("", "day"):
        asked = wanted(organization, group=group, sub=sub, bucket=bucket)
        sources = sources_of(asked, (group, sub))
        assert sources.is_slow == (
            sub.startswith("tag:") and group not in {"model", "provider", "status"}
        )
        assert not any(part.is_ledger for part in sources.parts)


@pytest.mark.parametrize("name", [*HOUR_DIMENSIONS, *ATTRIBUTES, "tag:env"])
def test_sessions_are_picked_without_requests(organization, name):
    value = {"model": "opal", "provider": "testing", "project": "default", "key": "", "user": "ann",
             "source": "native", "status": "ok", "team": "red", "agent": "a", "environment": "prod",
             "cost_center": "R&D", "service_tier": "none", "tag:env": "prod"}[name]  # fmt: skip
    asked = wanted(organization, **{name: value})
    assert not any(map(LEDGER.search, read(session_table, asked)))
    expected = {"s1"} if name == "model" else {"s1", "s2"}
    assert {row.session_id for row in session_table(asked).rows} == expected
    nothing = replace(asked, choices=(replace(asked.choices[0], relation="is_not"),))
    assert {row.session_id for row in session_table(nothing).rows} == {"s1", "s2"} - expected


@pytest.mark.parametrize("params", [{"team": "blue"}, {"tag:env": "test"}, {"model": "none"}])
def test_requests_that_no_day_has_are_not_looked_for(organization, params):
    asked = wanted(organization, **params)
    assert not any(map(LEDGER.search, read(request_page, asked)))
    assert request_page(asked).rows == ()


@pytest.mark.parametrize("params", [{}, {"model": "opal"}, {"provider!": "testing"}])
def test_cut_answers_and_failures_are_counted_without_requests(organization, params):
    asked = wanted(organization, **params)
    counted, taken_up = read(truncation, asked)
    assert not LEDGER.search(counted)
    assert LEDGER.search(taken_up)
    assert not LEDGER.search(read(failures, asked)[0])


@pytest.mark.parametrize("group", ["", "model", "provider", "status"])
def test_days_by_model_are_the_few_rows_of_an_attribute(organization, group):
    asked = wanted(organization, group=group, bucket="day")
    (statement,) = read(usage_table, asked)
    assert "accounting_usagedayattribute" in statement
    assert not HOURS.search(statement)
    by_project = usage_table(replace(asked, group="project"))
    assert usage_table(asked).totals == by_project.totals


@pytest.mark.parametrize("group", dict.fromkeys((*DAY_DIMENSIONS, *CALLERS)))
def test_whole_days_are_read_from_days(organization, group):
    asked = wanted(organization, group=group, bucket="day")
    assert not any(map(HOURS.search, read(usage_table, asked)))


def test_requests_are_summed_by_all_cores(organization):
    asked = wanted(organization, group="team", bucket="hour", **{"session!": "no such one"})
    (statement,) = filter(LEDGER.search, read(usage_table, asked))
    with connection.cursor() as cursor:
        # Very many requests, as the planner is told: it takes each condition for a rare one.
        cursor.execute("UPDATE pg_class SET reltuples = 1e16, relpages = 1 WHERE relname = %s",
                       ["accounting_usageevent_2026_10"])  # fmt: skip
        for name in ("min_parallel_table_scan_size", "enable_indexscan", "enable_bitmapscan"):
            cursor.execute(f"SET LOCAL {name} = 0")
        cursor.execute(f"EXPLAIN {statement}")
        plan = [line for (line,) in cursor.fetchall()]
    assert any("Partial" in line for line in plan), plan


def test_a_dry_run_shadows_every_rollup():
    assert {rollup.table for rollup in ROLLUPS} <= {*SHADOWED}
