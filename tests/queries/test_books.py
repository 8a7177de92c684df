"""Answers from posted records: every cut of the same usage adds up to the same total."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from zoneinfo import ZoneInfo

import pytest

from accounting.queries.grammar import DIMENSIONS
from accounting.queries.sessions import session_table
from accounting.queries.spend import usage_table
from tests.factories import ProjectFactory
from tests.queries.asking import wanted
from tests.queries.posted import post, priced_organization
from tests.records import usage_record

pytestmark = pytest.mark.django_db
YEAR = {"from": "2026-01-01", "to": "2027-01-01"}


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "Europe/Berlin"])
@pytest.mark.parametrize("change", ["2026-03-29", "2026-10-25"])
def test_every_cut_adds_up_to_the_same_total(zone, change):
    organization = priced_organization(time_zone=zone)
    projects = [ProjectFactory(organization=organization) for _ in range(2)]
    chance = Random(7)
    noon = datetime.fromisoformat(f"{change}T12:00Z")
    records = [
        usage_record(
            f"r{n}",
            at=noon + timedelta(minutes=chance.randrange(-4320, 4320)),
            project_id=chance.choice(projects).pk,
            session_id=f"s{n % 7}",
            response_model=chance.choice(["opal", "opal", "unpriced"]),
            status=chance.choice(["ok", "ok", "error"]),
            input_tokens=chance.randrange(1, 9999),
            cache_read_input_tokens=chance.choice([None, 1]),
            output_tokens=chance.randrange(1, 99),
            place={"user_id": chance.choice(["", "ann"])},
        )
        for n in range(60)
    ]
    post(organization, *records)
    whole = usage_table(wanted(organization, **YEAR)).totals
    assert whole.input_tokens == sum(r.use.counts.input_tokens for r in records)
    assert whole.cost_in("USD") == sum(_cost(r) for r in records)
    assert 0 < whole.unpriced_requests < 60
    for cut in [
        *({"group": name} for name in DIMENSIONS),
        *({"bucket": name} for name in ("hour", "day", "week", "month")),
        {"group": "model", "sub": "project", "bucket": "day"},
    ]:
        days = {"from": "2026-03-01", "to": "2027-01-01"} if cut.get("bucket") == "hour" else YEAR
        rows = usage_table(wanted(organization, **cut, **days)).rows
        for field in ("requests", "errors", "input_tokens", "output_tokens", "unpriced_tokens"):
            assert sum(getattr(row.totals, field) or 0 for row in rows) == getattr(whole, field)
        assert sum(row.totals.cost_in("USD") for row in rows) == whole.cost_in("USD")
    by_day = usage_table(wanted(organization, bucket="day", **YEAR)).rows
    days = {r.place.started_at.astimezone(ZoneInfo(zone)).date() for r in records}
    assert [row.bucket for row in by_day] == sorted(days)
    sessions = session_table(wanted(organization, **YEAR))
    assert sessions.totals.input_tokens == whole.input_tokens
    assert len(sessions.rows) == 7


def _cost(record):
    if record.use.response_model != "opal":
        return Decimal(0)
    counts = record.use.counts
    read = counts.cache_read_input_tokens or 0
    picos = (counts.input_tokens - read) * 500_000 + read * 100_000 + counts.output_tokens * 75_000
    return Decimal(picos) / 10**12


def test_seven_tokens_at_0_075_cost_what_they_cost():
    organization = priced_organization()
    project = ProjectFactory(organization=organization)
    noon = datetime(2026, 10, 1, 12, tzinfo=UTC)
    post(
        organization,
        usage_record(at=noon, project_id=project.pk, input_tokens=0, output_tokens=7),
    )
    totals = usage_table(wanted(organization)).totals
    assert totals.cost_in("USD") == Decimal("0.000000525")


def test_a_filter_picks_whole_sessions_in_which_such_a_request_occurs():
    organization = priced_organization()
    project = ProjectFactory(organization=organization)
    noon = datetime(2026, 10, 1, 12, tzinfo=UTC)

    def record(response_id, session_id, model, after=timedelta(0)):
        return usage_record(
            response_id, at=noon + after, project_id=project.pk, session_id=session_id,
            response_model=model, input_tokens=10, output_tokens=1,
        )  # fmt: skip

    post(
        organization,
        record("a", "one", "opal"),
        record("b", "one", "ruby", after=timedelta(days=40)),
        record("c", "two", "opal"),
    )
    (row,) = session_table(wanted(organization, model="ruby")).rows
    assert (row.session_id, row.totals.input_tokens) == ("one", 20)
