"""What imports recorded goes, what they replaced comes back, and nobody before the last can go."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from accounting.models import EventRevision, ImportOverlap, Run, UsageEvent, UsageHour
from accounting.services.closed_months import MonthClosedError, close_month
from accounting.services.rollups import differences
from accounting.services.undoing import MetByLaterError, met_by
from tests.posting.conftest import price_opal
from tests.records import NOON, usage_record
from tests.undoing.books import snapshot, told, told_by, undone

pytestmark = pytest.mark.django_db
EDGE = datetime(2026, 4, 1, tzinfo=UTC)


def events(organization):
    return UsageEvent.objects.of(organization.pk)


def are_right(organization):
    return set(differences(organization_id=organization.pk).values()) == {0}


def test_what_an_import_recorded_goes_with_its_rollups(organization):
    price_opal(organization)
    first = told(organization, usage_record("a", input_tokens=5, session_id="s"))
    before = snapshot()
    second = told(
        organization,
        usage_record("b", input_tokens=1_000_000, session_id="s", duration_ms=10.0),
        usage_record("c", at=NOON + timedelta(days=60), output_tokens=1),
    )
    taken = undone(second)
    assert (taken.removed, taken.restored) == (2, 0)
    assert (taken.change.requests, taken.change.cost) == (-2, {"USD": Decimal("-3.000015")})
    assert snapshot() == before
    undone(first)
    assert not events(organization).exists()
    assert not UsageHour.objects.exists()
    assert are_right(organization)


def test_what_an_import_replaced_comes_back_whole(organization):
    price_opal(organization)
    told(
        organization,
        usage_record(input_tokens=10, output_tokens=1, place={"tags": (("a", "b"),), "team": "x"}),
    )
    before = snapshot()
    price_opal(organization, price="2", since=NOON - timedelta(days=1))
    second = told(
        organization,
        usage_record(at=NOON - timedelta(hours=1), input_tokens=10, output_tokens=700),
        usage_record("b", input_tokens=1),
    )
    assert events(organization).get(response_id="r1").import_id == second.pk
    taken = undone(second)
    assert (taken.removed, taken.restored) == (1, 1)
    assert taken.change.output_tokens == -699
    assert snapshot() == before


def test_an_event_that_moved_to_another_month_moves_back(organization):
    first = told(organization, usage_record(at=EDGE + timedelta(hours=2), input_tokens=4))
    before = snapshot()
    second = told(organization, usage_record(at=EDGE - timedelta(hours=2), input_tokens=4))
    between = snapshot()
    third = told(organization, usage_record(at=EDGE - timedelta(hours=5), output_tokens=9))
    undone(third)
    assert snapshot() == between
    undone(second)
    assert snapshot() == before
    undone(first)
    assert not events(organization).exists()


def test_two_that_moved_an_event_twice_are_undone_together(organization):
    told(organization, usage_record(at=EDGE + timedelta(hours=9), restamps=True, input_tokens=4))
    before = snapshot()
    times = (EDGE - timedelta(days=20), EDGE - timedelta(days=50))
    later = [told(organization, usage_record(at=at, restamps=True, input_tokens=4)) for at in times]
    assert undone(*later).restored == 1
    assert snapshot() == before


def test_an_event_that_moved_twice_moves_back_twice(organization):
    told(organization, usage_record(at=EDGE + timedelta(hours=9), restamps=True, input_tokens=4))
    steps, later = [], []
    for days in (20, 50):
        steps.append(snapshot())
        record = usage_record(at=EDGE - timedelta(days=days), restamps=True, input_tokens=4)
        later.append(told(organization, record))
    for source, before in zip(reversed(later), reversed(steps), strict=True):
        assert undone(source).restored == 1
        assert snapshot() == before


@pytest.mark.parametrize("output", [700, 1], ids=["rewritten", "duplicate"])
def test_an_import_that_later_ones_met_is_refused_and_they_are_named(organization, output):
    first = told(organization, usage_record(output_tokens=1))
    second = told(organization, usage_record(output_tokens=output))
    third = told(organization, usage_record(output_tokens=output), usage_record("b"))
    last = told(organization, usage_record("b"))
    before = snapshot()
    with pytest.raises(MetByLaterError) as refused:
        undone(first)
    # The last one met the third alone, but while it stands the third cannot go.
    assert refused.value.met_by == (second.pk, third.pk, last.pk)
    assert str(third.pk) in str(refused.value)
    assert snapshot() == before


def test_a_duplicate_counts_anew_once_the_first_has_gone(organization):
    first = told(organization, usage_record(output_tokens=5))
    second = told(organization, usage_record(output_tokens=5))
    undone(second)
    undone(first)
    third = told(organization, usage_record(output_tokens=5))
    assert (third.recorded, third.duplicates) == (1, 0)
    assert EventRevision.objects.count() == ImportOverlap.objects.count() == 0


def test_a_duplicate_told_before_a_rewriting_does_not_hold_it(organization):
    first = told(organization, usage_record(output_tokens=5))
    copy = told(organization, usage_record(output_tokens=5))
    fuller = told(organization, usage_record(output_tokens=9))
    assert met_by(organization.pk, [fuller.pk]) == []
    undone(fuller)
    assert events(organization).get().output_tokens == 5
    assert met_by(organization.pk, [first.pk]) == [copy.pk]


def test_imports_that_met_each_other_are_undone_together(organization):
    told(organization, usage_record("a", output_tokens=1))
    before = snapshot()
    one = told(organization, usage_record("b", output_tokens=1))
    two = told(organization, usage_record("b", output_tokens=5), usage_record("a", output_tokens=2))
    told_by(one, usage_record("b", output_tokens=9), usage_record("a", output_tokens=3))
    for alone, other in ((one, two), (two, one)):
        with pytest.raises(MetByLaterError) as refused:
            undone(alone)
        assert refused.value.met_by == (other.pk,)
    taken = undone(one, two)
    assert (taken.removed, taken.restored) == (1, 1)
    assert snapshot() == before


def test_an_import_that_tells_its_own_event_again_keeps_no_revision(organization):
    source = told(organization, usage_record(output_tokens=1))
    told_by(source, usage_record(output_tokens=5))
    assert not EventRevision.objects.exists()
    assert not ImportOverlap.objects.exists()
    assert undone(source).removed == 1


def test_a_key_used_again_where_an_event_would_come_back_to_names_who_used_it(organization):
    told(organization, usage_record(at=EDGE + timedelta(minutes=30), input_tokens=4))
    moved = told(organization, usage_record(at=EDGE - timedelta(minutes=10), input_tokens=4))
    again = told(organization, usage_record(at=EDGE + timedelta(days=20), input_tokens=4))
    assert again.recorded == 1
    with pytest.raises(MetByLaterError) as refused:
        undone(moved)
    assert refused.value.met_by == (again.pk,)
    undone(again)
    undone(moved)
    assert events(organization).get().occurred_at == EDGE + timedelta(minutes=30)
    assert are_right(organization)


@pytest.mark.parametrize("which", ["recorded", "rewritten"])
def test_an_import_that_stands_in_a_closed_month_is_refused_with_the_month(organization, which):
    told(organization, usage_record(output_tokens=1))
    second = told(organization, usage_record("b" if which == "recorded" else "r1", output_tokens=5))
    close_month(
        organization_id=organization.pk, month=NOON.date(), now=datetime(2026, 5, 1, tzinfo=UTC)
    )
    before = snapshot()
    with pytest.raises(MonthClosedError, match="2026-03"):
        undone(second)
    assert snapshot() == before


def test_a_closed_month_that_an_import_does_not_touch_holds_nothing(organization):
    told(organization, usage_record(output_tokens=1))
    close_month(
        organization_id=organization.pk, month=NOON.date(), now=datetime(2026, 5, 1, tzinfo=UTC)
    )
    second = told(organization, usage_record("b", at=EDGE, output_tokens=1))
    assert undone(second).removed == 1


def test_a_benchmark_run_goes_with_its_last_request(organization):
    first = told(organization, usage_record("a"))
    run = Run.objects.create(organization=organization, label="night", source_import=first)
    record = {"purpose": "benchmark", "place": {"run_id": run.pk}}
    second = told(organization, usage_record("b", **record))
    third = told(organization, usage_record("c", **record))
    undone(second)
    assert Run.objects.exists()
    undone(third)
    assert Run.objects.exists()  # the one that made it stands
    undone(first)
    assert not Run.objects.exists()
