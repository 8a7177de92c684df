"""Tokens to come are priced with what is in force on their day."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from accounting.domain.periods import day_of
from accounting.queries.prices import loaded_rates
from accounting.queries.projection import month_projections, period_of, projections
from accounting.services.pricebooks import import_table
from tests.factories import OrganizationFactory, UsageHourFactory
from tests.queries.asking import at, wanted
from tests.repricing.conftest import set_price

pytestmark = pytest.mark.django_db
MILLION = 1_000_000
NOW = at("2026-11-10T00:00Z")
#: From the 20th of October on: 21 whole days before now, nine of them in the month.
HISTORY = [date(2026, 10, 20) + timedelta(days=n) for n in range(21)]


@pytest.fixture
def organization():
    """One that has paid 3 a million of input since the beginning."""
    organization = OrganizationFactory()
    set_price(organization, "3")
    set_price(organization, "15", unit="output")
    return organization


def use(organization, day, cost, *, part="input", column="input_tokens", **fields):
    """A million tokens of a kind on a day, charged as given."""
    sums = {f"cost_{name}": Decimal(0) for name in ("input", "output", "cache_read", "other")}
    sums |= {f"cost_{part}": Decimal(cost), column: MILLION, "provider": "testing"}
    sums |= {"model": "opal", "cost": Decimal(cost), "hour": at(f"{day}T12:00Z")}
    return UsageHourFactory(organization=organization, **(sums | fields))


def months(organization, **params):
    return month_projections(wanted(organization, now=NOW, **params))


def expected(organization):
    (found,) = months(organization)
    return found.forecast.expected


def test_a_price_to_come_is_charged_from_its_day_on(organization):
    for day in HISTORY:
        use(organization, day, "3")
    assert expected(organization) == 90
    set_price(organization, "6", since=at("2026-11-20T00:00Z"))
    assert expected(organization) == 9 * 3 + 10 * 3 + 11 * 6


def test_a_day_has_the_price_of_its_noon_in_the_organizations_zone(organization):
    organization.time_zone = "Asia/Tokyo"
    organization.save()
    set_price(organization, "6", since=at("2026-11-20T00:00Z"))  # nine in the morning there
    for day in HISTORY:
        use(organization, day, "3")
    assert expected(organization) == 9 * 3 + 10 * 3 + 11 * 6


def test_a_price_that_has_changed_is_not_averaged_with_the_old_one(organization):
    set_price(organization, "6", since=at("2026-11-05T00:00Z"))
    for day in HISTORY:
        use(organization, day, "6" if day >= date(2026, 11, 5) else "3")
    (found,) = months(organization)
    assert found.forecast.expected == 4 * 3 + 5 * 6 + 21 * 6
    assert (found.forecast.low, found.forecast.high) == (168, 168)


def test_what_is_paid_below_the_list_stays_below_it(organization):
    for day in HISTORY:
        use(organization, day, "1.50")  # as batches are
    set_price(organization, "6", since=at("2026-11-20T00:00Z"))
    assert expected(organization) == Decimal("61.5")  # 9 × 1.50 + 10 × 1.50 + 11 × 3


def test_a_token_costs_what_it_cost_over_four_weeks(organization):
    for ago in range(1, 41):
        paid = "9" if ago > 28 else ("4" if ago % 2 else "2")
        use(organization, NOW.date() - timedelta(days=ago), paid)
    (found,) = months(organization)
    assert found.spent == 5 * 4 + 4 * 2
    assert found.forecast.expected == 28 + 21 * 3


def test_each_kind_has_its_own_price(organization):
    set_price(organization, "30", unit="output", since=at("2026-11-20T00:00Z"))
    for day in HISTORY:
        use(organization, day, "3")
        use(organization, day, "15", part="output", column="output_tokens")
    assert expected(organization) == 90 + 9 * 15 + 10 * 15 + 11 * 30


def test_cached_tokens_are_not_projected_at_the_price_of_input(organization):
    for day in HISTORY:
        use(organization, day, "0.30", part="cache_read", cache_read_input_tokens=MILLION)
    assert expected(organization) == 9


def test_what_is_charged_without_tokens_goes_on_as_money(organization):
    for day in HISTORY:
        use(organization, day, "2", part="other", input_tokens=0)
    assert expected(organization) == 60


def test_a_model_that_nobody_lists_goes_on_as_it_was_charged(organization):
    for day in HISTORY:
        use(organization, day, "2", model="nobody-knows-it")
    assert expected(organization) == 60


def test_what_was_given_away_is_charged_when_it_has_a_price(organization):
    set_price(organization, "0", model="gift")
    set_price(organization, "4", model="gift", since=at("2026-11-20T00:00Z"))
    for day in HISTORY:
        use(organization, day, "0", model="gift")
    assert expected(organization) == 11 * 4


def test_what_has_no_price_yet_is_charged_when_it_has_one(organization):
    set_price(organization, "4", model="new", since=at("2026-11-20T00:00Z"))
    for day in HISTORY:
        use(organization, day, "0", model="new", currency="", unpriced_tokens=MILLION)
    (found,) = months(organization)
    assert (found.currency, found.spent, found.forecast.expected) == ("USD", 0, 44)


def test_a_price_in_another_currency_moves_what_comes_to_it(organization):
    for code, currency, price, span in (
        ("own", "USD", "3", '"from": "2020-01-01", "to": "2026-11-20"'),
        ("yuan", "CNY", "7", '"from": "2026-11-20"'),
    ):
        table = (
            f'{{"book": {{"code": "{code}", "currency": "{currency}"}}, "rates": [{{"provider":'
            f' "testing", "model": "jade", "unit": "input", "price": "{price}", {span}}}]}}'
        )
        import_table(table.encode(), organization=organization)
    for day in HISTORY:
        use(organization, day, "3", model="jade")
    found = [(one.currency, one.spent, one.forecast.expected) for one in months(organization)]
    assert found == [("CNY", 0, 11 * 7), ("USD", 27, 27 + 10 * 3)]


def test_corrections_of_closed_months_say_nothing_of_a_price(organization):
    for day in HISTORY:
        use(organization, day, "3")
    use(organization, "2026-11-01", "500", input_tokens=0, corrections=Decimal(500))
    (found,) = months(organization)
    assert found.spent == 527
    # The day of the correction tells no price; the other twenty do.
    assert found.forecast.expected == 590


def test_a_filter_projects_what_it_asks_for(organization):
    for day in HISTORY:
        use(organization, day, "3")
        use(organization, day, "4", model="jade")
    (found,) = months(organization, model="jade")
    assert found.forecast.expected == 120


def test_a_quarter_and_a_year(organization):
    for day in HISTORY:
        use(organization, day, "3")
    asked = wanted(organization, now=NOW)
    today = day_of(NOW, asked.zone)
    assert period_of("quarter", today) == (date(2026, 10, 1), date(2027, 1, 1))
    assert period_of("year", today) == (date(2026, 1, 1), date(2027, 1, 1))
    for name in ("quarter", "year"):
        (found,) = projections(asked, *period_of(name, today))
        assert (found.spent, found.forecast.expected) == (63, 63 + 52 * 3)


def test_credits_are_projected_at_the_rates_of_each_day(organization):
    rates = (
        b'{"book": {"code": "own", "currency": "USD"}, "credit_rates": ['
        b'{"kind": "credit", "currency": "USD", "price": "0.001", "from": "2020-01-01"},'
        b'{"kind": "credit", "currency": "USD", "price": "0.002", "from": "2026-11-20"}]}'
    )
    import_table(rates, organization=organization)
    for day in HISTORY:
        use(organization, day, "3", credits=Decimal(3_000))
    asked = wanted(organization, now=NOW)
    (found,) = projections(asked, date(2026, 11, 1), date(2026, 12, 1), metric="credits")
    assert (found.metric, found.currency, found.spent) == ("credits", "credit", 27_000)
    assert found.forecast.expected == 27_000 + 10 * 3_000 + 11 * 1_500


def test_without_a_credit_rate_there_are_no_credits_to_project(organization):
    for day in HISTORY:
        use(organization, day, "3")
    asked = wanted(organization, now=NOW)
    (found,) = projections(asked, date(2026, 11, 1), date(2026, 12, 1), metric="credits")
    assert (found.metric, found.spent) == ("credits", 0)
    assert (found.forecast.expected, found.forecast.reason) == (None, "no_credit_rate")


def test_credits_say_that_they_leave_a_currency_out(organization):
    rate = (
        b'{"book": {"code": "own", "currency": "USD"}, "credit_rates": ['
        b'{"kind": "credit", "currency": "USD", "price": "0.001", "from": "2020-01-01"}]}'
    )
    import_table(rate, organization=organization)
    for day in HISTORY:
        use(organization, day, "3", credits=Decimal(3_000))
        use(organization, day, "5", model="jade", currency="CNY", credits_unknown=1)
    asked = wanted(organization, now=NOW)
    (found,) = projections(asked, date(2026, 11, 1), date(2026, 12, 1), metric="credits")
    assert (found.forecast.expected, found.forecast.reason) == (90_000, "no_credit_rate")


def test_four_statements_once_prices_are_loaded(organization, django_assert_num_queries):
    for day in HISTORY:
        use(organization, day, "3")
    asked = wanted(organization, now=NOW)
    loaded_rates(organization.pk)
    with django_assert_num_queries(4):
        month_projections(asked)


def test_what_was_reckoned_for_the_days_before_is_not_given_for_other_days(organization):
    for day in HISTORY:
        use(organization, day, "3")
    assert [expected(organization) for _again in range(2)] == [90, 90]
    use(organization, HISTORY[-1], "30", model="late")
    first = expected(organization)
    assert first > 90 + 30  # what it cost, and that it will go on
    use(organization, HISTORY[-1], "30", model="late")
    assert expected(organization) > first + 30


def test_today_is_no_day_that_a_projection_rests_on(organization):
    for day in HISTORY:
        use(organization, day, "3")
    flows = month_projections(wanted(organization, now=NOW))[0].forecast
    use(organization, date(2026, 11, 10), "1", hour=at("2026-11-10T00:00Z"))
    later = month_projections(wanted(organization, now=at("2026-11-10T02:00Z")))[0]
    assert later.spent == 9 * 3 + 1
    assert (later.forecast.expected, later.forecast.low) == (flows.expected, flows.low)
