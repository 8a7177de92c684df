"""A closed month keeps every amount; what a new price adds is booked into the open one."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from accounting.exports.usage import usage_export
from accounting.models import ClosedMonth, RepriceRun, UsageDayAttribute, UsageEvent
from accounting.queries.explain import explanations
from accounting.queries.filters import usage_filter
from accounting.queries.overview import overview
from accounting.queries.spend import usage_table
from accounting.queries.writing import written_totals
from accounting.services import filling_in
from accounting.services.closed_months import (
    MonthClosedError,
    MonthOpenError,
    close_month,
    open_month,
)
from accounting.services.tenants import configure, create_api_key
from tests.records import usage_record
from tests.repricing.conftest import NOW, apply, draft, is_whole, set_price, undo, whole_books

pytestmark = pytest.mark.django_db
NOVEMBER = date(2026, 11, 1)
ON_THE_20TH = datetime(2026, 11, 20, 9, tzinfo=UTC)
ON_DECEMBER_2ND = datetime(2026, 12, 2, 9, tzinfo=UTC)
#: At 1 a million they cost 100.00, at 1.10 10.00 more.
TOKENS_OF_100 = 100_000_000


@pytest.fixture
def november(organization, post):
    """November at 100.00 USD, closed; the price of 1 becomes 1.10 afterwards."""
    set_price(organization, "1")
    post(
        usage_record(
            "n", at=ON_THE_20TH, input_tokens=TOKENS_OF_100, output_tokens=0, session_id="s",
            place={"team": "red"},
        )
    )  # fmt: skip
    close_month(organization_id=organization.pk, month=NOVEMBER, now=NOW)
    set_price(organization, "1.10")
    return organization


def spent(organization, start, end):
    wanted = usage_filter({"from": [start], "to": [end]}, organization, NOW)
    return written_totals(usage_table(wanted).totals)


def test_november_stays_and_december_shows_the_correction(november):
    run = apply(draft(november))

    before = spent(november, "2026-11-01", "2026-12-01")
    after = spent(november, "2026-12-01", "2027-01-01")
    assert (before["cost"], before["corrections"]) == ({"USD": "100"}, {})
    assert (after["cost"], after["corrections"]) == ({"USD": "10"}, {"USD": "10"})
    assert (after["requests"], after["input_tokens"], after["unpriced_requests"]) == (0, None, 0)
    (row,) = run.outcome["rows"]
    assert (row["month"], row["booked_in"], row["difference_cost"]) == ("2026-11", "2026-12", "10")
    assert run.draft == run.outcome
    assert is_whole(november)


def test_overview_and_rest_tell_the_correction_beside_the_cost(november, client):
    apply(draft(november))

    shown = overview(usage_filter({"range": ["mtd"]}, november, NOW))
    (cost,) = shown.totals.costs
    assert (cost.amount, cost.corrections) == (10, 10)
    days = {"from": "2026-11-01", "to": "2027-01-01", "bucket": "month", "group": "model"}
    key = create_api_key(organization_id=november.pk, project_id=1, name="k", scopes=["read"])
    headers = {"X-Api-Key": key}
    rows = client.get("/api/v1/usage", days, headers=headers).json()["rows"]
    assert [(r["bucket"], r["cost"], r["corrections"]) for r in rows] == [
        ("2026-11-01", {"USD": "100"}, {}),
        ("2026-12-01", {"USD": "10"}, {"USD": "10"}),
    ]
    sheet = usage_export(usage_filter({"range": ["mtd"]}, november, NOW))
    (cells,) = sheet.rows
    columns = dict(zip((column.name for column in sheet.columns), cells, strict=True))
    assert (columns["cost_USD"], columns["corrections_USD"]) == (10, 10)
    teams = UsageDayAttribute.objects.of(november.pk).filter(attribute="team", value="red")
    assert [team.cost for team in teams.order_by("day")] == [100, 10]


def test_a_second_repricing_books_only_what_the_first_left(november):
    apply(draft(november))
    set_price(november, "1.15")
    apply(draft(november))
    assert spent(november, "2026-12-01", "2027-01-01")["cost"] == {"USD": "15"}
    again = draft(november)
    assert again.draft["changed"] == 0


def test_undoing_takes_the_correction_away(november):
    before = whole_books(november)
    run = undo(apply(draft(november)))
    assert run.state == "undone"
    assert whole_books(november) == before
    assert is_whole(november)


def test_events_of_open_months_change_and_those_of_closed_ones_do_not(november, post):
    set_price(november, "1", since=datetime(2026, 12, 1, tzinfo=UTC))
    post(usage_record("d", at=ON_DECEMBER_2ND, input_tokens=TOKENS_OF_100, output_tokens=0))
    set_price(november, "2", since=datetime(2026, 12, 1, tzinfo=UTC))

    apply(draft(november))

    costs = {e.response_id: e.cost for e in UsageEvent.objects.of(november.pk).filter(part=0)}
    assert costs == {"n": 100, "d": 200}
    assert spent(november, "2026-12-01", "2027-01-01")["cost"] == {"USD": "210"}


def test_a_price_that_was_missing_is_booked_into_the_open_month_once(organization, post):
    post(
        usage_record(
            "n", at=ON_THE_20TH, response_model="jade", input_tokens=1_000_000, output_tokens=0
        )
    )
    close_month(organization_id=organization.pk, month=NOVEMBER, now=NOW)

    assert set_price(organization, "7", model="jade").newly_priced == 1
    assert set_price(organization, "8", model="jade").newly_priced == 0

    november = spent(organization, "2026-11-01", "2026-12-01")
    assert (november["cost"], november["unpriced_requests"]) == ({}, 1)
    assert spent(organization, "2026-12-01", "2027-01-01")["corrections"] == {"USD": "7"}
    run = undo(RepriceRun.objects.get())
    assert run.state == "undone"
    assert spent(organization, "2026-12-01", "2027-01-01")["cost"] == {}
    assert is_whole(organization)


def test_a_price_that_fills_in_two_closed_months_by_one_run(organization, post, monkeypatch):
    monkeypatch.setattr(filling_in.fill_chunk, "__kwdefaults__", {"chunk": 1, "waits": True})
    october = datetime(2026, 10, 20, 9, tzinfo=UTC)
    for name, at in (("o", october), ("n", ON_THE_20TH), ("d", ON_DECEMBER_2ND)):
        post(usage_record(name, at=at, response_model="jade", input_tokens=10**6, output_tokens=0))
    for month in (date(2026, 10, 1), NOVEMBER):
        close_month(organization_id=organization.pk, month=month, now=NOW)
    set_price(organization, "7", model="jade")
    filled = filling_in.fill_in(organization_id=organization.pk, chunk=1)

    run = RepriceRun.objects.get()
    assert (filled.priced, run.outcome["changed"], run.outcome) == (3, 2, run.draft)
    assert (run.starts_at, run.ends_at) == (october, ON_THE_20TH + timedelta(microseconds=1))
    assert spent(organization, "2026-12-01", "2027-01-01")["cost"] == {"USD": "21"}
    assert is_whole(organization)
    undo(run)
    assert spent(organization, "2026-12-01", "2027-01-01")["cost"] == {"USD": "7"}
    assert is_whole(organization)


def test_an_id_that_is_used_again_is_corrected_in_each_closed_month(organization, post):
    first = datetime(2026, 9, 10, tzinfo=UTC)
    post(usage_record("again", at=first, input_tokens=10**6, output_tokens=0))
    post(usage_record("again", at=ON_THE_20TH, input_tokens=2 * 10**6, output_tokens=0))
    for month in (date(2026, 9, 1), NOVEMBER):
        close_month(organization_id=organization.pk, month=month, now=NOW)
    before = whole_books(organization)
    set_price(organization, "4")
    run = apply(draft(organization))

    corrections = UsageEvent.objects.of(organization.pk).filter(operation="correction")
    booked = {correction.occurred_at.month: correction.cost for correction in corrections}
    assert booked == {10: 1, 12: 2}
    assert all(e.is_exact for e in explanations(organization.pk, corrections))
    set_price(organization, "5")
    assert draft(organization).draft["rows"][0]["old_cost"] == "4"
    undo(run)
    assert whole_books(organization) == before


def test_months_end_where_the_organizations_days_do(organization, post):
    organization.time_zone = "Asia/Shanghai"
    organization.save()
    edge = datetime(2026, 11, 30, 16, tzinfo=UTC)  # midnight of December 1st in Shanghai
    post(
        usage_record("nov", at=edge - timedelta(seconds=1), input_tokens=10**6, output_tokens=0),
        usage_record("dec", at=edge, input_tokens=10**6, output_tokens=0),
    )
    close_month(organization_id=organization.pk, month=NOVEMBER, now=NOW)
    set_price(organization, "4")

    apply(draft(organization))

    costs = {e.response_id: e.cost for e in UsageEvent.objects.of(organization.pk).filter(part=0)}
    assert costs == {"nov": 3, "dec": 4}
    correction = UsageEvent.objects.of(organization.pk).get(operation="correction")
    assert (correction.occurred_at, correction.cost, correction.part) == (edge, 1, 1)
    assert is_whole(organization)


def test_a_month_that_is_not_over_cannot_be_closed_and_closing_twice_is_once(organization):
    with pytest.raises(MonthOpenError, match="2026-12 is not over"):
        close_month(organization_id=organization.pk, month=date(2026, 12, 1), now=NOW)
    close_month(organization_id=organization.pk, month=NOVEMBER, now=NOW)
    close_month(organization_id=organization.pk, month=date(2026, 11, 30), now=NOW)
    assert ClosedMonth.objects.of(organization.pk).get().month == NOVEMBER


def test_a_month_with_corrections_opens_only_after_they_are_undone(november):
    run = apply(draft(november))
    with pytest.raises(MonthClosedError, match=f"corrections of repricing {run.pk}"):
        open_month(organization_id=november.pk, month=NOVEMBER)
    undo(run)
    assert open_month(organization_id=november.pk, month=NOVEMBER)
    assert not open_month(organization_id=november.pk, month=NOVEMBER)
    apply(draft(november))
    assert UsageEvent.objects.of(november.pk).get().cost == Decimal(110)


def test_a_run_whose_month_was_closed_since_cannot_be_undone(organization, post):
    post(usage_record("n", at=ON_THE_20TH, input_tokens=1_000_000, output_tokens=0))
    set_price(organization, "4")
    run = apply(draft(organization))
    close_month(organization_id=organization.pk, month=NOVEMBER, now=NOW)
    with pytest.raises(MonthClosedError, match=f"closed and repricing {run.pk} changed it"):
        undo(run)


def test_the_time_zone_stays_once_a_month_is_closed(november):
    with pytest.raises(MonthClosedError, match="another time zone"):
        configure(organization_id=november.pk, currency="USD", time_zone="Asia/Tokyo")
    november.refresh_from_db()
    assert november.time_zone == "UTC"
