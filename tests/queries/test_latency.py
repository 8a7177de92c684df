"""How long requests took."""

from datetime import date, timedelta

import pytest

from accounting.domain.histograms import percentile
from accounting.queries.latency import Percentiles, latency_table
from tests.factories import OrganizationFactory
from tests.queries.asking import wanted
from tests.queries.posted import NOON, posted, priced_organization

pytestmark = pytest.mark.django_db


@pytest.fixture
def organization():
    organization = priced_organization()
    posted(
        organization,
        *({"ttft_ms": float(n), "duration_ms": 1_000.0} for n in range(1, 101)),
        {"response_model": "jade", "tpot_ms": 20.0, "session_id": "s1", "status": "error"},
        {"response_model": "jade", "ttft_ms": 0.0},
        {"part": 1, "ttft_ms": 9_999.0},
    )
    posted(organization, {"response_model": "jade", "tpot_ms": 40.0}, at=NOON + timedelta(1))
    return organization


def near(measured, requests, *values):
    assert measured.requests == requests
    for found, value in zip((measured.p50, measured.p95, measured.p99), values, strict=True):
        assert found == pytest.approx(value, rel=0.025)


def test_percentiles_from_histograms(organization, django_assert_num_queries):
    with django_assert_num_queries(1):
        table = latency_table(wanted(organization))
    assert (table.rows, table.is_slow) == ((table.whole,), False)
    near(table.whole.ttft, 100, 50, 95, 99)
    near(table.whole.tpot, 2, 20, 40, 40)
    near(table.whole.duration, 100, 1_000, 1_000, 1_000)


def test_by_day_and_model(organization, django_assert_num_queries):
    with django_assert_num_queries(1):
        table = latency_table(wanted(organization, group="model", bucket="day"))
    assert [(row.bucket, row.group.value) for row in table.rows] == [
        (date(2026, 10, 1), "jade"), (date(2026, 10, 1), "opal"), (date(2026, 10, 2), "jade"),
    ]  # fmt: skip
    jade, opal, _ = table.rows
    near(jade.tpot, 1, 20, 20, 20)
    assert jade.ttft == opal.tpot == Percentiles()
    (only,) = latency_table(wanted(organization, model="jade", bucket="month")).rows
    assert only.tpot.requests == 2


def test_hours_and_other_zones_are_read_from_hours_and_add_up_to_the_days(organization):
    days = latency_table(wanted(organization, group="model", bucket="day"))
    for params in ({"bucket": "hour"}, {"bucket": "day", "tz": "Asia/Tokyo"}):
        other = latency_table(wanted(organization, group="model", **params))
        assert (other.is_slow, other.whole) == (False, days.whole)
    hours = latency_table(wanted(organization, bucket="hour")).rows
    assert [row.bucket.isoformat() for row in hours] == [
        "2026-10-01T12:00:00+00:00",
        "2026-10-02T12:00:00+00:00",
    ]
    assert days.whole.ttft.requests == 100


def test_what_histograms_do_not_keep_is_read_from_requests(organization, django_assert_num_queries):
    with django_assert_num_queries(3):
        table = latency_table(wanted(organization, group="project", bucket="hour"))
    assert table.is_slow
    assert [(row.group.value, row.ttft.requests, row.tpot.requests) for row in table.rows] == [
        ("default", 100, 1), ("default", 0, 1),
    ]  # fmt: skip
    assert (table.whole.ttft.p50, table.whole.ttft.p95) == (50.5, pytest.approx(95.05))
    (whole,) = latency_table(wanted(organization, group="status", status="error")).rows
    assert whole.tpot == Percentiles(requests=1, p50=20.0, p95=20.0, p99=20.0)
    with django_assert_num_queries(1):
        of_session = latency_table(wanted(organization, session="s1"))
    assert of_session.whole.tpot.requests == 1


def test_without_requests_there_is_nothing_to_say(organization):
    assert latency_table(wanted(OrganizationFactory())).whole.ttft == Percentiles()
    assert latency_table(wanted(organization, purpose="benchmark")).rows == ()


@pytest.mark.parametrize(
    ("counts", "percent", "bucket"),
    [({3: 1}, 50, 3), ({3: 1, 5: 1}, 50, 3), ({3: 1, 5: 1}, 51, 5), ({1: 95, 9: 5}, 95, 1),
     ({1: 95, 9: 5}, 96, 9), ({-70: 1, 0: 3}, 1, -70), ({1: 1, 2: 1}, 100, 2)],
)  # fmt: skip
def test_the_nearest_rank_lies_in_its_bucket(counts, percent, bucket):
    assert percentile(counts, percent) == pytest.approx(1.05 ** (bucket + 0.5))
    assert percentile({}, percent) is None
