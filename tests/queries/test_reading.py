"""Questions that would read too many requests one by one are refused before they read any."""

from datetime import timedelta

import pytest

from accounting.queries.filters import METRICS, FilterError
from accounting.queries.grammar import LATENCY_METRICS
from accounting.queries.latency import latency_table
from accounting.queries.projection import check_history, month_projections
from accounting.queries.reading import check_reading
from tests.queries.asking import wanted
from tests.queries.posted import NOON, posted, priced_organization

pytestmark = pytest.mark.django_db
#: What Explore draws.
DRAWN = (*METRICS, *LATENCY_METRICS)
#: Of what no sums are kept.
READING = (
    {"finish_reason": "stop"},
    {"finish_reason!": "length"},
    {"operation": "chat"},
    {"cost_state": "priced"},
    {"error_type~": "time"},
    {"team": "red", "bucket": "hour"},
    {"group": "team", "bucket": "hour"},
    {"group": "tag:env", "tz": "Asia/Tokyo"},
    {"group": "project", "metric": "ttft_p95"},
    {"team": "red", "metric": "duration_p50"},
)
#: Of what sums are kept, or what an index finds.
FOUND = (
    {},
    {"finish_reason": "length"},
    {"cost_state": ["unpriced", "partial"]},
    {"session": "s1", "finish_reason": "stop"},
    {"group": "team", "sub": "tag:env", "bucket": "day"},
    {"group": "user", "bucket": "hour", "tz": "Asia/Tokyo"},
    {"group": "model", "metric": "ttft_p95", "bucket": "hour"},
    {"provider": "testing", "metric": "ttft_p95"},
)


@pytest.fixture
def organization(settings):
    organization = priced_organization()
    posted(organization, *({"session_id": "s1", "finish_reason": "stop"} for _ in range(3)))
    settings.MOST_REQUESTS_READ = 2
    return organization


@pytest.mark.parametrize("params", READING)
def test_too_many_are_refused(organization, settings, params):
    asked = wanted(organization, metrics=DRAWN, **params)
    with pytest.raises(FilterError) as refused:
        check_reading(asked)
    assert (refused.value.code, refused.value.parameter) == ("too_many_requests_read", "from")
    assert refused.value.reason.startswith("3 requests would be read one by one, at most 2:")
    for enough in (3, 0):
        settings.MOST_REQUESTS_READ = enough
        check_reading(asked)


def test_what_is_read_several_times_counts_so_often(organization, settings):
    asked = wanted(organization, operation="chat")
    settings.MOST_REQUESTS_READ = 17
    check_reading(asked, times=5)
    with pytest.raises(FilterError, match=r"^18 requests would be read one by one, at most 17"):
        check_reading(asked, times=6)


@pytest.mark.parametrize("params", FOUND)
def test_what_is_kept_or_found_is_answered_however_much_it_is(organization, params):
    check_reading(wanted(organization, metrics=DRAWN, **params))


def test_days_without_so_many_are_answered(organization):
    check_reading(
        wanted(organization, operation="chat", **{"from": "2026-10-02", "to": "2026-10-31"})
    )
    before = {"from": "2026-09-01", "to": "2026-10-01"}
    check_reading(wanted(organization, operation="chat", **before))
    until = {"from": "2026-09-01", "to": "2026-10-02"}
    with pytest.raises(FilterError):
        check_reading(wanted(organization, operation="chat", **until))


def test_a_projection_reads_the_days_before_its_month(organization, settings):
    asked = wanted(organization, operation="chat", now=NOON + timedelta(days=40))
    with pytest.raises(FilterError, match=r"^3 requests"):
        month_projections(asked)
    with pytest.raises(FilterError, match=r"^3 requests"):
        check_history(asked)
    check_history(wanted(organization, team="red", now=NOON + timedelta(days=40)))


def test_latencies_are_refused_by_what_they_are_cut_by(organization):
    asked = wanted(organization, group="project")
    with pytest.raises(FilterError, match="3 requests would be read"):
        check_reading(asked, is_of_latencies=True)
    check_reading(wanted(organization, group="model"), is_of_latencies=True)
    assert latency_table(wanted(organization, group="model")).is_slow is False
