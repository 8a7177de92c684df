"""The sample books of sixty days, recomputed from a file of their records and a price table."""

import json
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

import pytest
from django.db import transaction

from accounting.models import Project
from accounting.queries.sessions import session_summary
from accounting.queries.spend import usage_table, usage_totals
from accounting.services import demo
from accounting.services.pricebooks import import_table
from accounting.services.tenants import ensure_defaults
from tests.recomputation.asking import asked, costs_by_model, sums_of, told
from tests.recomputation.costs import PRICES, PriceTable
from tests.recomputation.files import records
from tests.recomputation.rows import Row, by_session, merged, summed

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
START = datetime(2026, 10, 1, tzinfo=UTC)
#: The demo's own model becomes cheaper on the 35th day, in a book of the demo's.
HARBOR = {"input": [("0.60", START), ("0.40", datetime(2026, 11, 5, tzinfo=UTC))],
          "output": [("2.40", START), ("1.60", datetime(2026, 11, 5, tzinfo=UTC))]}  # fmt: skip


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """The demo's records written down, and read again by plain Python."""
    path = tmp_path_factory.mktemp("demo") / "records.jsonl"
    projects = [Project(pk=n, slug=slug, name=name) for n, (slug, name) in enumerate(demo.PROJECTS)]
    with path.open("w") as file:
        for record in demo._records(START, NOW, projects):
            file.write(json.dumps(plain(record, projects)) + "\n")
    return merged(row_of(record) for record in records(path))


def plain(record, projects):
    """One record as a raw log would tell it."""
    use, place, counts = record.use, record.place, record.use.counts
    return {
        "id": record.identity.response_id, "at": place.started_at.isoformat(),
        "project": projects[place.project_id].slug, "session": place.session_id,
        "user": place.user_id, "team": place.team, "model": use.response_model,
        "status": use.status, "input": counts.input_tokens,
        "read": counts.cache_read_input_tokens, "write": counts.cache_write_input_tokens,
        "output": counts.output_tokens,
    }  # fmt: skip


def row_of(record):
    kinds = ("input", "read", "write", "output")
    return Row(
        key=record["id"], at=record["at"], session=record["session"], model=record["model"],
        provider=record["project"], status=record["status"],
        **{kind: record[kind] for kind in kinds},
    )  # fmt: skip


@pytest.fixture
def table():
    """The price table that the books are given, with the demo's own model priced as it says."""
    found = PriceTable.of_file()
    for unit, steps in HARBOR.items():
        found.rates["harbor-32b", unit] = [
            (start.date().isoformat(), Decimal(price)) for price, start in steps
        ]
    return found


@pytest.fixture(scope="module")
def books(django_db_setup, django_db_blocker):
    """The sample's organization, loaded once for all questions and taken back behind them."""
    content = json.loads(PRICES.read_text())
    content["rates"] = [rate for rate in content["rates"] if rate["provider"] != "harbor"]
    with django_db_blocker.unblock(), transaction.atomic():
        organization = ensure_defaults()
        import_table(json.dumps(content).encode(), organization=organization)
        demo.load_demo(organization_id=organization.pk, now=NOW)
        yield organization
        transaction.set_rollback(True)


def test_tokens_requests_and_errors(books, rows):
    found = told(books)
    sums = summed(rows)
    assert sums.requests > 3_000
    assert found.sums == sums.told


def test_ratios_of_every_session_and_their_median(books, rows):
    sessions = by_session(rows)
    assert told(books).ratios == {name: sums.ratio for name, sums in sessions.items()}
    ratios = sorted(sums.ratio for sums in sessions.values() if sums.ratio is not None)
    middle = Fraction(ratios[(len(ratios) - 1) // 2] + ratios[len(ratios) // 2]) / 2
    summary = session_summary(asked(books))
    assert (summary.sessions, summary.with_ratio) == (len(sessions), len(ratios))
    assert abs(summary.ratio_median - middle) < Fraction(1, 10**15)


def test_costs_by_model_and_their_sum_in_credits(books, rows, table):
    costs = table.costs_by_model(rows)
    assert {model for model, _ in costs} == {name for _, name, *_ in demo.MODELS}
    assert costs_by_model(books) == costs
    totals = usage_totals(asked(books))
    assert totals.credits == sum(costs.values()) / table.credit
    assert totals.cost_base == sum(costs.values())


def test_costs_and_tokens_by_day(books, rows, table):
    days = defaultdict(list)
    for row in rows:
        days[row.at[:10]].append(row)
    by_day = usage_table(asked(books, bucket="day", **{"from": "2026-10-01", "to": "2026-12-01"}))
    assert {row.bucket.isoformat(): sums_of(row.totals) for row in by_day.rows} == {
        day: summed(found).told for day, found in days.items()
    }
    assert {row.bucket.isoformat(): row.totals.cost_in("USD") for row in by_day.rows} == {
        day: sum(table.costs_by_model(found).values()) for day, found in days.items()
    }


def test_hit_rates_by_project(books, rows):
    found = usage_table(asked(books, group="project"))
    for row in found.rows:
        of_project = [each for each in rows if each.provider == row.group.value]
        known = [each for each in of_project if each.input is not None]
        rate = Fraction(sum(each.read for each in known), sum(each.input for each in known))
        assert row.totals.cache_hit_rate == rate
    assert len(found.rows) == len(demo.PROJECTS)


def test_a_recomputation_notices_a_request_that_counts_twice(books, rows):
    twice = [*rows, replace(rows[0], key="again")]
    assert told(books).sums != summed(twice).told
