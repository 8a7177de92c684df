"""Records become rows once, priced, with their rollups."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import transaction

from accounting.models import Project, SessionTotal, UsageDayAttribute, UsageEvent, UsageHour
from accounting.services.closed_months import close_month
from accounting.services.filling_in import Filled, fill_in
from accounting.services.posting import Telling, ensure_months, post_usage
from accounting.services.rollups import change_time_zone, differences, rebuild
from tests.posting.conftest import price_opal
from tests.records import NOON, usage_record

pytestmark = pytest.mark.django_db


def events(organization):
    return UsageEvent.objects.of(organization.pk)


def test_posting_the_same_record_twice_counts_it_once(organization, post):
    first = post(usage_record(input_tokens=10, output_tokens=2))
    second = post(usage_record(input_tokens=10, output_tokens=2))

    assert (first.recorded, first.duplicates) == (1, 0)
    assert (second.recorded, second.updated, second.duplicates) == (0, 0, 1)
    assert second.change.requests == 0
    assert second.change.input_tokens == 0
    assert events(organization).count() == 1


def test_repeats_inside_one_batch_are_one_record_and_the_rest_duplicates(organization, post):
    posted = post(
        usage_record(output_tokens=1), usage_record(output_tokens=1), usage_record(output_tokens=9)
    )

    assert (posted.recorded, posted.duplicates, posted.conflicts) == (1, 2, 0)
    assert events(organization).get().output_tokens == 9


def test_a_more_complete_telling_updates_and_rollups_follow(organization, post):
    price_opal(organization)
    post(usage_record(input_tokens=10, output_tokens=1))
    posted = post(usage_record(input_tokens=10, output_tokens=1_000_000))

    hour = UsageHour.objects.of(organization.pk).get()
    assert posted.updated == 1
    assert posted.change.output_tokens == 999_999
    assert (hour.parts, hour.requests, hour.output_tokens) == (1, 1, 1_000_000)
    assert hour.cost == Decimal("15.00003")
    assert set(differences(organization_id=organization.pk).values()) == {0}


def test_cost_and_its_parts_are_exact(organization, post):
    price_opal(organization)
    post(usage_record(input_tokens=1001, cache_read_input_tokens=1000, output_tokens=1))

    event = events(organization).get()
    assert event.cost == Decimal("0.000318")
    assert event.cost_input == Decimal("0.000003")
    assert event.cost_cache_read == Decimal("0.0003")
    assert event.cost_output == Decimal("0.000015")
    assert event.cost_state == "priced"
    assert str(event.cost) == "0.000318"


def test_unknown_prices_are_null_counted_and_filled_in_by_a_later_price(organization, post):
    posted = post(usage_record(input_tokens=7, output_tokens=3))
    event = events(organization).get()
    assert (event.cost, event.cost_state, event.unpriced_tokens) == (None, "unpriced", 10)
    assert posted.change.unpriced_requests == 1

    price_opal(organization)

    assert events(organization).get().cost == Decimal("0.000066")
    assert UsageHour.objects.of(organization.pk).get().unpriced_requests == 0
    assert fill_in(organization_id=organization.pk) == Filled(priced=1)  # nothing is left of it
    assert set(differences(organization_id=organization.pk).values()) == {0}


def test_unknown_counts_stay_null_beside_known_zeros(organization, post):
    posted = post(usage_record(output_tokens=3), usage_record("b", output_tokens=0))

    hour = UsageHour.objects.of(organization.pk).get()
    assert (hour.known_input_tokens, hour.known_output_tokens) == (0, 2)
    assert posted.change.input_tokens is None
    assert posted.change.output_tokens == 3


def test_parts_of_a_request_are_charged_apart_and_counted_once(organization, post):
    main = usage_record("m", input_tokens=10, output_tokens=1)
    advisor = usage_record("m", part=1, input_tokens=5, output_tokens=2)
    ensure_months([NOON])
    with transaction.atomic():
        posted = post_usage(
            organization_id=organization.pk,
            tellings=[Telling(line=1, records=(main, advisor))],
        )

    assert (posted.recorded, posted.change.requests, posted.change.input_tokens) == (1, 1, 15)
    hour = UsageHour.objects.of(organization.pk).get()
    assert (hour.parts, hour.requests) == (2, 1)


def test_failed_requests_are_errors_not_requests(organization, post):
    posted = post(usage_record(status="error", usage_state="missing", error_origin="upstream"))

    assert (posted.change.requests, posted.change.errors) == (0, 1)
    assert UsageHour.objects.of(organization.pk).get().errors == 1


def test_a_copy_with_a_new_time_over_the_months_edge_is_counted_once(organization, post):
    edge = datetime(2026, 4, 1, tzinfo=UTC)
    post(usage_record(at=edge + timedelta(hours=2), input_tokens=4))
    posted = post(usage_record(at=edge - timedelta(hours=2), input_tokens=4))

    event = events(organization).get()
    assert (posted.updated, event.month.isoformat()) == (1, "2026-03-01")
    assert differences(organization_id=organization.pk)["keys_in_two_months"] == 0
    assert set(differences(organization_id=organization.pk).values()) == {0}


def test_a_restamped_copy_is_found_in_any_month(organization, post):
    post(usage_record(at=NOON, restamps=True, input_tokens=4))
    posted = post(usage_record(at=NOON + timedelta(days=90), restamps=True, input_tokens=4))

    assert posted.duplicates == 1
    assert events(organization).count() == 1


def test_sessions_sum_and_span_their_requests(organization, post):
    later = NOON + timedelta(minutes=5)
    post(
        usage_record("a", session_id="s", input_tokens=10, output_tokens=1),
        usage_record("b", session_id="s", at=later, input_tokens=20, output_tokens=2),
    )
    session = SessionTotal.objects.of(organization.pk).get()
    assert (session.started_at, session.ended_at) == (NOON, later)
    assert (session.requests, session.input_tokens) == (2, 30)

    post(
        usage_record(
            "a", session_id="s", at=NOON - timedelta(minutes=1), input_tokens=10, output_tokens=1
        )
    )

    assert SessionTotal.objects.of(organization.pk).get().started_at == NOON - timedelta(minutes=1)
    assert set(differences(organization_id=organization.pk).values()) == {0}


def test_a_session_that_loses_its_first_request_to_another_starts_later(organization, post):
    later = NOON + timedelta(minutes=5)
    post(
        usage_record("a", session_id="zz", at=later, output_tokens=1),
        usage_record("b", session_id="zz", at=later + timedelta(minutes=1), output_tokens=1),
    )
    post(usage_record("a", session_id="first", at=NOON, output_tokens=1))

    starts = {s.session_id: s.started_at for s in SessionTotal.objects.of(organization.pk)}
    assert starts == {"first": NOON, "zz": later + timedelta(minutes=1)}
    assert set(differences(organization_id=organization.pk).values()) == {0}


@pytest.mark.parametrize("later", ["Lab", ""])
def test_a_request_told_again_stays_in_the_cost_centre_of_its_day(organization, post, later):
    post(usage_record("a", output_tokens=5))
    Project.objects.filter(pk=1).update(cost_center=later)
    earlier = {"at": NOON - timedelta(minutes=1)}
    for told in ({}, {"output_tokens": 9}, {"output_tokens": 9} | earlier):
        post(usage_record("a", **({"output_tokens": 5} | told)))
        assert UsageEvent.objects.get().cost_center == "R&D"
    assert set(differences(organization_id=organization.pk).values()) == {0}


def test_attributes_sum_to_the_total_with_none_for_what_has_no_value(organization, post):
    post(
        usage_record("a", output_tokens=5, place={"team": "red", "tags": (("env", "prod"),)}),
        usage_record("b", output_tokens=7),
    )

    sums = {
        (row.attribute, row.value): row.output_tokens
        for row in UsageDayAttribute.objects.of(organization.pk)
    }
    assert sums[("team", "red")] == 5
    assert sums[("team", "none")] == 7
    assert sums[("cost_center", "R&D")] == 12
    assert sums[("tag:env", "prod")] == 5


def test_changing_the_zone_cuts_every_hour_anew(organization, post):
    post(usage_record("a", at=NOON + timedelta(minutes=10)), usage_record("b", at=NOON))

    change_time_zone(organization_id=organization.pk, time_zone="Asia/Kolkata")

    hours = UsageHour.objects.of(organization.pk).values_list("hour", "parts")
    assert list(hours) == [(NOON - timedelta(minutes=30), 2)]
    post(usage_record("c", at=NOON + timedelta(minutes=40)))
    assert set(differences(organization_id=organization.pk).values()) == {0}


def test_rebuild_mends_a_broken_sum_and_verify_sees_it(organization, post):
    post(usage_record(input_tokens=5))
    UsageHour.objects.of(organization.pk).update(input_tokens=6)
    assert differences(organization_id=organization.pk)["accounting_usagehour"] == 2

    rebuild(organization_id=organization.pk)

    assert set(differences(organization_id=organization.pk).values()) == {0}


def test_an_amount_too_large_for_the_books_is_refused_with_its_line(organization, post):
    price_opal(organization)
    huge = usage_record("big", output_tokens=999_999_999_999)
    posted = post(usage_record("a", input_tokens=1), huge)

    assert posted.recorded == 1
    assert [(refusal.line, refusal.code) for refusal in posted.refused] == [
        (2, "amount_out_of_range")
    ]


def test_what_was_stored_is_what_was_said(organization, post):
    said = usage_record(
        input_tokens=5, output_tokens=1, reported_cost=Decimal("0.10"), reported_currency="USD",
        duration_ms=12.5, finish_reason="stop", place={"tags": (("a", "b"),), "team": "x"},
    )  # fmt: skip
    post(said)
    posted = post(said)

    assert posted.duplicates == 1
    assert events(organization).get().reported_cost == Decimal("0.1")


JANUARY, MARCH = (datetime(2026, month, 15, tzinfo=UTC) for month in (1, 3))


def test_an_id_that_is_used_again_months_later_is_another_request(organization, post):
    post(usage_record("1", at=JANUARY, output_tokens=1), usage_record("2", at=NOON))
    post(usage_record("1", at=MARCH, output_tokens=5))
    edge = datetime(2026, 1, 31, 12, tzinfo=UTC)
    posted = post(usage_record("1", at=edge, output_tokens=9))

    assert posted.updated == 1
    stored = events(organization).filter(response_id="1").order_by("occurred_at")
    assert [(e.occurred_at, e.output_tokens) for e in stored] == [(JANUARY, 9), (MARCH, 5)]
    found = differences(organization_id=organization.pk)
    assert found.pop("keys_in_two_months") == 1
    assert set(found.values()) == {0}


def test_filling_in_a_price_touches_each_month_of_a_reused_id_alone(organization, post):
    post(usage_record("1", at=MARCH, input_tokens=1_000_000))
    price_opal(organization, since=MARCH)
    post(usage_record("1", at=JANUARY, input_tokens=1_000_000))
    price_opal(organization, price="2", since=datetime(2026, 1, 1, tzinfo=UTC))

    costs = events(organization).order_by("occurred_at").values_list("cost", flat=True)
    assert list(costs) == [2, 3]
    found = differences(organization_id=organization.pk)
    assert found.pop("keys_in_two_months") == 1
    assert set(found.values()) == {0}


def test_a_closed_month_keeps_its_prices_when_a_request_is_told_again(organization, post):
    price_opal(organization)
    post(usage_record(input_tokens=1_000_000, output_tokens=1, finish_reason="stop"))
    close_month(
        organization_id=organization.pk, month=MARCH.date(), now=datetime(2026, 5, 1, tzinfo=UTC)
    )
    price_opal(organization, price="2", since=datetime(2026, 3, 1, tzinfo=UTC))
    earlier = NOON - timedelta(hours=1)
    post(usage_record(at=earlier, input_tokens=1_000_000, output_tokens=1, finish_reason="stop"))
    event = events(organization).get()
    assert (event.occurred_at, event.cost) == (earlier, Decimal("3.000015"))

    post(usage_record(input_tokens=1_000_000, output_tokens=2, finish_reason="stop"))

    assert events(organization).get().cost == Decimal("3.00003")
    assert set(differences(organization_id=organization.pk).values()) == {0}
