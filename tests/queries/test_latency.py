"""How long requests took."""

from datetime import date, timedelta

import pytest

from accounting.domain.histograms import percentile
from accounting.queries.exploring_latency import explore_latency, value_of
from accounting.queries.grammar import LATENCY_METRICS
from accounting.queries.latency import latency_table
from accounting.queries.latency_sums import Percentiles
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
    with django_assert_num_queries(2):
        table = latency_table(wanted(organization, group="project", bucket="hour"))
    assert table.is_slow
    assert [(row.group.value, row.ttft.requests, row.tpot.requests) for row in table.rows] == [
        ("default", 100, 1), ("default", 0, 1),
    ]  # fmt: skip
    assert table.whole == latency_table(wanted(organization)).whole
    (whole,) = latency_table(wanted(organization, group="status", status="error")).rows
    near(whole.tpot, 1, 20, 20, 20)
    with django_assert_num_queries(1):
        of_session = latency_table(wanted(organization, session="s1"))
    assert of_session.whole.tpot.requests == 1


@pytest.mark.parametrize("params", [{}, {"group": "model"}, {"group": "model", "bucket": "day"}])
def test_requests_are_counted_as_histograms_count_them(organization, params):
    values = (0.0004, 0.999, 1.0, 1.05, 20.0, 86_400_000.0, 1e12)
    posted(
        organization,
        *({"ttft_ms": value, "tpot_ms": value / 7, "duration_ms": 3 * value} for value in values),
        at=NOON + timedelta(2),
    )
    kept = latency_table(wanted(organization, **params))
    read = latency_table(wanted(organization, **params, **{"session!": "no such one"}))
    assert (kept.is_slow, read.is_slow) == (False, True)
    assert (kept.rows, kept.whole) == (read.rows, read.whole)


def test_by_two_dimensions(organization):
    rows = latency_table(wanted(organization, group="model", sub="status")).rows
    assert [(row.group.value, row.sub.value, row.tpot.requests) for row in rows] == [
        ("jade", "error", 1), ("jade", "ok", 1), ("opal", "ok", 0),
    ]  # fmt: skip


@pytest.mark.parametrize("metric", LATENCY_METRICS)
@pytest.mark.parametrize("group", ["model", "status"])
def test_what_is_explored_is_what_the_tables_say(organization, metric, group):
    def ask(**params):
        return wanted(organization, metrics=LATENCY_METRICS, metric=metric, **params)

    found = explore_latency(ask(group=group))
    by_day = latency_table(ask(group=group, bucket="day")).rows
    told = [(row.bucket, row.key[1:], value_of(row, metric)) for row in by_day]
    assert [(p.bucket, p.key, p.amounts[0][1]) for p in found.points] == [
        one for one in told if one[2] is not None
    ]
    whole = {row.bucket: value_of(row, metric) for row in latency_table(ask(bucket="day")).rows}
    assert {p.bucket: p.amounts[0][1] for p in found.over_time} == {
        day: value for day, value in whole.items() if value is not None
    }
    kind, _ = LATENCY_METRICS[metric]
    groups = {row.key: getattr(row, kind) for row in latency_table(ask(group=group)).rows}
    assert {row.key: getattr(row, kind) for row in found.rows} == {
        key: told for key, told in groups.items() if told.requests
    }
    requests = [getattr(row, kind).requests for row in found.rows]
    assert requests == sorted(requests, reverse=True)
    assert value_of(found.whole, metric) == value_of(latency_table(ask()).whole, metric)


def test_a_latency_is_compared_with_that_of_the_days_before(
    organization, django_assert_num_queries
):
    days = {"from": "2026-10-02", "to": "2026-10-03"}
    asked = wanted(organization, metrics=LATENCY_METRICS, metric="tpot_p95", **days)
    with django_assert_num_queries(2):
        found = explore_latency(asked)
    assert float(value_of(found.whole, "tpot_p95")) == pytest.approx(40, rel=0.025)
    assert {key: float(value) for key, value in found.before.items()} == {
        ("jade",): pytest.approx(20, rel=0.025), (): pytest.approx(20, rel=0.025),
    }  # fmt: skip
    alone = explore_latency(
        wanted(organization, metrics=LATENCY_METRICS, metric="tpot_p95", compare="none")
    )
    assert (alone.before, alone.is_slow) == (None, False)


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
