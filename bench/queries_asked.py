"""The questions that pages and endpoints ask, as the query benchmark and the stored plans ask them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import Any

from accounting.models import Organization
from accounting.queries.benchmarks import benchmark_runs
from accounting.queries.cache import cache_savings
from accounting.queries.cache_moves import cache_moves
from accounting.queries.change import change_explained
from accounting.queries.coverage import usage_coverage
from accounting.queries.data_health import data_health
from accounting.queries.explain import explanations, sampled
from accounting.queries.exploring import explore
from accounting.queries.exploring_latency import explore_latency
from accounting.queries.failures import failures
from accounting.queries.filters import UsageFilter, usage_filter
from accounting.queries.grammar import LATENCY_METRICS, METRICS
from accounting.queries.latency import latency_table
from accounting.queries.mixes import observed_mix
from accounting.queries.months import month_rows
from accounting.queries.overview import overview
from accounting.queries.projection import month_projections, period_of, projections
from accounting.queries.reported import reported_usage
from accounting.queries.requests import request_page
from accounting.queries.session_shapes import session_shapes
from accounting.queries.session_spread import session_spread
from accounting.queries.session_turns import session_turns
from accounting.queries.sessions import session_table
from accounting.queries.spend import usage_table, usage_totals
from accounting.queries.tag_keys import tag_keys
from accounting.queries.truncation import truncation
from accounting.queries.unpriced import models_without_price
from bench.books import NOW, SESSION_COUNT

DAYS, HOURS, LEDGER, SLOW = "days", "hours", "ledger", "slow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question. ask: with the books and a number, by which its filter differs from the last.

    served: days, hours (or another rollup), ledger (by index), or slow: marked so in its answer.
    """

    name: str
    served: str
    ask: Callable[[Organization, int], Any]


def wanted(organization: Organization, **params: str) -> UsageFilter:
    """A filter as an address says it, at the benchmark's now."""
    lists = {name: [value] for name, value in params.items()}
    return usage_filter(lists, organization, NOW, metrics=(*METRICS, *LATENCY_METRICS))


def question(served: str, name: str, ask: Callable[[UsageFilter], Any], **params: str) -> Asked:
    """A question about a filter; {n} in a parameter is another project, key or person each time."""

    def asked(organization: Organization, turn: int) -> Any:
        texts = {each: value.format(n=f"{7 * turn % 50:02}") for each, value in params.items()}
        return ask(wanted(organization, **texts))

    return Asked(name=name, served=served, ask=asked)


def session_id(turn: int) -> str:
    """Another session each time, spread over the whole range."""
    return f"session-{turn * 7919 % SESSION_COUNT:07}"


def _deep(asked: UsageFilter) -> Any:
    return request_page(asked, after=((NOW - timedelta(days=60)).astimezone(UTC), "80" * 16))


def _with_shapes(asked: UsageFilter) -> Any:
    return session_shapes(asked, session_table(asked, order="-cost").rows)


def _quarter_in_credits(asked: UsageFilter) -> Any:
    return projections(asked, *period_of("quarter", NOW.date()), metric="credits")


QUESTIONS = (
    question(DAYS, "overview, this month", overview, range="mtd", bucket="day"),
    question(DAYS, "overview, 30 days", overview, range="30d", bucket="day"),
    question(DAYS, "overview, 90 days", overview, range="90d", bucket="week"),
    question(DAYS, "30 days: total", usage_totals, range="30d"),
    question(DAYS, "30 days: day x model", usage_table, range="30d", bucket="day", group="model"),
    question(DAYS, "90 days: day x model", usage_table, range="90d", bucket="day", group="model"),
    question(
        DAYS, "30 days: day x project", usage_table, range="30d", bucket="day", group="project"
    ),
    question(DAYS, "90 days: project x model", usage_table, range="90d", group="project", sub="model"),
    question(
        DAYS, "one project, 90 days: day x model", usage_table,
        range="90d", bucket="day", group="model", project="p{n}",
    ),
    question(HOURS, "7 days: hour x model", usage_table, range="7d", bucket="hour", group="model"),
    question(DAYS, "30 days: key", usage_table, range="30d", group="key"),
    question(DAYS, "30 days: day x user", usage_table, range="30d", bucket="day", group="user"),
    question(DAYS, "one key, 90 days: day", usage_table, range="90d", bucket="day", key="key-0{n}"),
    question(
        HOURS, "another zone, 30 days: day x model", usage_table,
        range="30d", bucket="day", group="model", tz="Asia/Tokyo",
    ),
    question(DAYS, "30 days: day x team", usage_table, range="30d", bucket="day", group="team"),
    question(DAYS, "30 days: tag x model", usage_table, range="30d", group="tag:feature", sub="model"),
    question(DAYS, "30 days: team x project", usage_table, range="30d", group="team", sub="project"),
    question(
        DAYS, "30 days: tag x project", usage_table, range="30d", group="tag:feature", sub="project"
    ),
    question(
        DAYS, "90 days: day x team x environment", usage_table,
        range="90d", bucket="day", group="team", sub="environment",
    ),
    question(DAYS, "90 days: key x model", usage_table, range="90d", group="key", sub="model"),
    question(
        SLOW, "7 days: hour x team", usage_table, range="7d", bucket="hour", group="team"
    ),
    question(
        DAYS, "cache by project by day", usage_table,
        range="30d", bucket="day", group="project", metric="cache_hit_rate",
    ),
    question(DAYS, "cache in money, 30 days", cache_savings, range="30d"),
    question(DAYS, "what moved the cache", cache_moves, range="30d"),
    question(DAYS, "change explained", change_explained, range="30d"),
    question(
        DAYS, "explore, models by projects", explore, range="30d", group="model", sub="project"
    ),
    question(HOURS, "how sessions are spread", session_spread, range="30d"),
    question(HOURS, "sessions, newest first", session_table, range="30d"),
    question(
        HOURS, "top sessions by cost", lambda asked: session_table(asked, order="-cost"), range="30d"
    ),
    question(HOURS, "sessions of one user", session_table, range="30d", user="person-1{n}"),
    question(HOURS, "sessions of a team, 90 days", session_table, range="90d", team="team-3"),
    question(
        HOURS, "sessions with a tag, 90 days", session_table,
        range="90d", **{"tag:feature": "feature-2"},
    ),
    question(HOURS, "top sessions with their shapes", _with_shapes, range="30d"),
    Asked(
        name="session, turn by turn", served=LEDGER,
        ask=lambda organization, turn: session_turns(organization.pk, session_id(turn)),
    ),
    Asked(
        name="session's first hundred turns", served=LEDGER,
        ask=lambda organization, turn: session_turns(
            organization.pk, session_id(turn), limit=100
        ),
    ),
    question(LEDGER, "requests, first page", request_page, range="90d"),
    question(LEDGER, "requests, deep page", _deep, range="90d"),
    question(LEDGER, "requests of one project", request_page, range="90d", project="p{n}"),
    question(LEDGER, "requests of a team, 90 days", request_page, range="90d", team="team-3"),
    question(LEDGER, "requests that failed", request_page, range="90d", status="error"),
    question(
        LEDGER, "requests explained",
        lambda asked: explanations(asked.organization_id, sampled(asked, 20)), range="30d",
    ),
    question(DAYS, "projection of the month", month_projections, range="mtd"),
    question(DAYS, "projection of one project", month_projections, range="mtd", project="p{n}"),
    question(DAYS, "projection of the quarter in credits", _quarter_in_credits, range="mtd"),
    question(DAYS, "mix for an estimate", observed_mix, range="30d"),
    question(HOURS, "latency, 30 days: model", latency_table, range="30d", group="model"),
    question(HOURS, "latency, 30 days: day", latency_table, range="30d", bucket="day"),
    question(HOURS, "latency, 90 days: model", latency_table, range="90d", group="model"),
    Asked(
        name="explore, latency by model", served=DAYS,
        ask=lambda organization, _: explore_latency(
            wanted(organization, range="30d", metric="ttft_p95")
        ),
    ),
    question(
        DAYS, "explore, team by project", explore, range="30d", group="team", sub="project"
    ),
    question(SLOW, "latency of one project", latency_table, range="30d", project="p{n}"),
    question(SLOW, "truncation", truncation, range="30d"),
    question(SLOW, "failures and retries", failures, range="30d"),
    question(SLOW, "requests without usage", usage_coverage, range="30d"),
    question(DAYS, "data health", data_health, range="30d"),
    question(DAYS, "tag keys", tag_keys, range="90d"),
    question(LEDGER, "reports beside the books", reported_usage, range="90d"),
    Asked(
        name="models without a price", served=DAYS,
        ask=lambda organization, _: models_without_price(organization.pk),
    ),
    Asked(
        name="months", served=DAYS, ask=lambda organization, _: month_rows(organization, NOW)
    ),
    Asked(
        name="benchmark runs", served=LEDGER,
        ask=lambda organization, _: benchmark_runs(organization.pk),
    ),
)  # fmt: skip
#: What the books would be asked without rollups, for scale.
RAW = """
    SELECT date_trunc('day', occurred_at, 'UTC'), model, count(*), sum(input_tokens),
           sum(output_tokens), sum(cost)
    FROM accounting_usageevent
    WHERE organization_id = %(organization)s
      AND occurred_at >= %(start)s AND occurred_at < %(end)s
    GROUP BY 1, 2
"""
RAW_SPAN = {"start": NOW - timedelta(days=30), "end": NOW}
