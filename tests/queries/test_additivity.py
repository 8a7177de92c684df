"""A law: however usage is cut, its parts add up to the total, in money, credits and tokens."""

from datetime import datetime, timedelta
from decimal import Decimal

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from accounting.models import Project
from accounting.queries.grammar import DIMENSIONS
from accounting.queries.requests import request_page
from accounting.queries.sessions import session_totals
from accounting.queries.spend import usage_table
from tests.queries.asking import wanted
from tests.queries.posted import post, priced_organization
from tests.records import usage_record

#: Zones, and moments around which their clocks change, if they do.
WHERE = (
    ("UTC", "2026-02-28T23:30Z"),
    ("Asia/Kolkata", "2026-10-31T18:29Z"),
    ("Europe/Berlin", "2026-03-29T01:00Z"),
    ("Europe/Berlin", "2026-10-25T01:00Z"),
    ("America/New_York", "2026-11-01T06:00Z"),
)
SPAN = {"from": "2026-02-01", "to": "2026-12-01"}
CUTS = (
    *({"bucket": name} for name in ("day", "week", "month")),
    *({"group": name} for name in (*DIMENSIONS, "tag:env")),
    {"group": "model", "sub": "project", "bucket": "day"},
    {"group": "user", "bucket": "day"},
    {"group": "key", "bucket": "week"},
    {"group": "team", "sub": "user"},
    {"group": "key", "sub": "tag:app", "bucket": "day"},
    {"group": "user", "sub": "model", "bucket": "week"},
    {"group": "tag:env", "sub": "team"},
    {"group": "tag:env", "sub": "model", "bucket": "day"},
)
SUMS = ("requests", "errors", "input_tokens", "output_tokens", "cache_read_input_tokens",
        "unpriced_requests", "unpriced_tokens", "credits_unknown")  # fmt: skip
#: Picos per token of what is neither read from a cache nor written to it, read, and answered.
PRICES = {"opal": (500_000, 100_000, 75_000), "jade": (3_000_000, 300_000, 15_000_000)}

requests = st.fixed_dictionaries(
    {
        "minutes": st.integers(-3 * 1_440, 3 * 1_440),
        "response_model": st.sampled_from(["opal", "jade", "ruby"]),
        "status": st.sampled_from(["ok", "ok", "error", "cancelled", "pending"]),
        "input_tokens": st.integers(0, 10**7),
        "cached": st.sampled_from([None, 0, 1, 2]),
        "output_tokens": st.integers(0, 10**6),
        "session_id": st.sampled_from(["s1", "s2"]),
        "part": st.sampled_from([0, 0, 0, 1]),
        "project": st.sampled_from([0, 1]),
        "service_tier": st.sampled_from(["", "default"]),
        "user_id": st.sampled_from(["", "ann"]),
        "team": st.sampled_from(["", "red", "none"]),
        "tags": st.sampled_from([(), (("env", "prod"),), (("env", ""),), (("app", "x"),)]),
    }
)


def record_of(number, row, middle, projects):
    row = dict(row)
    place = {name: row.pop(name) for name in ("user_id", "team", "tags")}
    cached = row.pop("cached")
    return usage_record(
        f"r{number}",
        at=middle + timedelta(minutes=row.pop("minutes")),
        project_id=projects[row.pop("project")].pk,
        cache_read_input_tokens=None if cached is None else row["input_tokens"] * cached // 2,
        place=place,
        **row,
    )


def cost(record):
    uncached, read, output = PRICES.get(record.use.model, (0, 0, 0))
    counts = record.use.counts
    hit = counts.cache_read_input_tokens or 0
    picos = (counts.input_tokens - hit) * uncached + hit * read + counts.output_tokens * output
    return Decimal(picos).scaleb(-12)


class Additivity(TestCase):
    @settings(
        max_examples=20,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(st.sampled_from(WHERE), st.integers(0, 6), st.lists(requests, max_size=14))
    def test_every_cut_adds_up_to_the_total(self, where, week_start, rows):
        zone, middle = where
        organization = priced_organization(time_zone=zone, week_start=week_start)
        other = Project.objects.create(organization=organization, slug="other", name="Other")
        projects = [Project.objects.get(organization=organization, slug="default"), other]
        records = [
            record_of(number, row, datetime.fromisoformat(middle), projects)
            for number, row in enumerate(rows)
        ]
        post(organization, *records)
        whole = usage_table(wanted(organization, **SPAN)).totals
        money = sum((cost(record) for record in records), Decimal(0))
        assert whole.cost_in("USD") == money
        # A credit costs a thousandth of a dollar.
        assert (whole.credits or 0) == money * 1_000
        assert (whole.input_tokens or 0) == sum(r.use.counts.input_tokens for r in records)
        ended = [r.use.status for r in records if r.identity.part == 0]
        assert whole.requests == sum(status in {"ok", "cancelled"} for status in ended)
        assert whole.errors == ended.count("error")
        for cut in CUTS:
            table = usage_table(wanted(organization, **cut, **SPAN))
            check(whole, table, cut)
            assert {row.bucket for row in table.rows} <= {None, *table.wanted.buckets}, cut
        # Hours of all these months are more points than a chart may have.
        near = {"from": "2026-10-20", "to": "2026-11-05"}
        check(
            usage_table(wanted(organization, **near)).totals,
            usage_table(wanted(organization, bucket="hour", **near)),
            "hours",
        )
        page = request_page(wanted(organization, **SPAN))
        assert sum(row.cost or 0 for row in page.rows) == money
        assert sum(row.credits or 0 for row in page.rows) == money * 1_000
        assert session_totals(wanted(organization, **SPAN)) == whole


def check(whole, table, cut):
    assert table.totals == whole, cut
    found = [row.totals for row in table.rows]
    assert sum(totals.cost_in("USD") for totals in found) == whole.cost_in("USD"), cut
    assert sum(totals.credits or 0 for totals in found) == (whole.credits or 0), cut
    for name in SUMS:
        parts = sum(getattr(totals, name) or 0 for totals in found)
        assert parts == (getattr(whole, name) or 0), (cut, name)
