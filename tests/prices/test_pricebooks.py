"""Changing prices: what is added, ended, superseded, and who sees which version."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from accounting.domain.errors import BadRateError
from accounting.models import CreditRate, PriceVersion, Rate
from accounting.queries.prices import (
    loaded_rates,
    price_table_in_force,
    rates_of_version,
    version_on,
)
from accounting.services.price_files import BookRow
from accounting.services.price_rows import AliasRow, ConversionRow, RateRow
from accounting.services.pricebooks import (
    add_alias,
    add_credit_rate,
    add_fx_rate,
    add_price,
)
from tests.books import NOON, use
from tests.prices.conftest import BRIEF

OWN = BookRow(code="own", currency="USD")
JULY = datetime(2026, 7, 1, tzinfo=UTC)


def price(amount, day="2026-01-01", until=None, **more):
    return RateRow(
        provider="testing",
        model="opal",
        unit="input",
        price=Decimal(amount),
        effective_from=datetime.fromisoformat(f"{day}T00:00+00:00"),
        effective_to=datetime.fromisoformat(f"{until}T00:00+00:00") if until else None,
        **more,
    )


@pytest.fixture
def add(organization):
    def add_one(*row, **more):
        return add_price(price(*row, **more), organization=organization, book=OWN)

    return add_one


def cost(organization, at, **counts):
    counts = counts or {"input_tokens": 1_000_000}
    picos = loaded_rates(organization.pk).rate(use(**counts), at).cost
    return None if picos is None else Decimal(picos).scaleb(-12)


def spans():
    """(price, from, to) of the rows in force, by start."""
    rows = Rate.objects.filter(superseded_version=None).order_by("effective_from")
    return [
        (
            str(row.price),
            f"{row.effective_from:%m-%d}",
            row.effective_to and f"{row.effective_to:%m-%d}",
        )
        for row in rows
    ]


def test_an_imported_table_prices_to_the_digit(organization, take):
    take(BRIEF)
    rates = loaded_rates(organization.pk)
    rating = rates.rate(
        use(input_tokens=1_000_000, cache_read_input_tokens=800_000, output_tokens=200_000), NOON
    )
    assert (rating.currency, rating.cost) == ("CNY", 480_000_000_000)
    assert rates.credits(rating.cost, "CNY", NOON) == 480_000_000_000_000
    assert cost(organization, NOON, input_tokens=1) == Decimal("0.0000005")


def test_the_same_table_again_changes_nothing(take):
    first, second = take(BRIEF), take(BRIEF)
    assert (first.version, first.rates.added, first.conversions.added) == (1, 3, 1)
    assert (second.version, second.rates.unchanged) == (None, 3)
    assert PriceVersion.objects.count() == 1


def test_a_change_closes_the_open_row_and_adds_one(organization, add):
    add("3")
    changed = add("2", "2026-07-01")
    assert (changed.rates.added, changed.rates.closed, changed.rates.superseded) == (1, 1, 0)
    assert spans() == [("3", "01-01", "07-01"), ("2", "07-01", None)]
    assert (cost(organization, NOON), cost(organization, JULY)) == (3, 2)


def test_the_same_start_again_is_a_correction(organization, add):
    add("3")
    changed = add("4")
    assert (changed.rates.added, changed.rates.closed, changed.rates.superseded) == (1, 0, 1)
    assert cost(organization, NOON) == 4
    assert Rate.objects.count() == 2


def test_a_price_entered_before_a_later_one_lasts_until_that_one(add):
    add("2", "2026-07-01")
    add("3")
    assert spans() == [("3", "01-01", "07-01"), ("2", "07-01", None)]


def test_a_price_between_two_others_shortens_the_first(add):
    add("3")
    add("1", "2026-07-01")
    changed = add("2", "2026-04-01")
    assert (changed.rates.added, changed.rates.superseded) == (2, 1)
    assert spans() == [("3", "01-01", "04-01"), ("2", "04-01", "07-01"), ("1", "07-01", None)]


def test_an_end_beyond_the_start_of_a_later_price_is_refused(add):
    add("2", "2026-07-01")
    with pytest.raises(BadRateError, match="overlaps the one from 2026-07-01"):
        add("3", "2026-01-01", "2026-08-01")
    assert spans() == [("2", "07-01", None)]


def test_rows_under_different_conditions_stand_beside_each_other(add):
    add("3")
    add("1.5", conditions=(("processing", "batch"),))
    add("6", input_gt=200_000)
    assert sorted(row[0] for row in spans()) == ["1.5", "3", "6"]


def test_a_book_has_one_currency(organization, add):
    add("3")
    with pytest.raises(BadRateError, match="book own is in USD, not CNY"):
        add_price(price("5"), organization=organization, book=BookRow(code="own", currency="CNY"))


def test_an_earlier_version_still_sees_what_it_saw(organization, add):
    add("3")
    add("2", "2026-07-01")
    add("4")
    seen = [
        [
            rates_of_version(organization.pk, version).rate(use(input_tokens=1_000_000), at).cost
            for at in (NOON, JULY)
        ]
        for version in (1, 2, 3)
    ]
    three, two, four = 3_000_000_000_000, 2_000_000_000_000, 4_000_000_000_000
    assert seen == [[three, three], [three, two], [four, two]]


def test_as_known_on_a_day_is_the_last_version_of_that_day(organization, add):
    add("3")
    add("4")
    PriceVersion.objects.filter(number=1).update(recorded_at=datetime(2026, 3, 1, 9, tzinfo=UTC))
    PriceVersion.objects.filter(number=2).update(recorded_at=datetime(2026, 3, 5, 9, tzinfo=UTC))
    ends = [datetime(2026, 3, day, tzinfo=UTC) for day in (1, 2, 5, 6)]
    assert [version_on(organization.pk, end) for end in ends] == [0, 1, 1, 2]


def test_loaded_prices_are_kept_until_a_version_is_committed(
    organization, add, django_assert_num_queries
):
    add("3")
    kept = loaded_rates(organization.pk)
    with django_assert_num_queries(1):
        assert loaded_rates(organization.pk) is kept
    add("4")
    assert loaded_rates(organization.pk).version == 2


def test_another_organizations_prices_are_not_seen(organization, add):
    add("3")
    other = type(organization).objects.create(slug="other", name="Other")
    assert loaded_rates(other.pk).rate(use(input_tokens=1), NOON).state == "unpriced"
    assert price_table_in_force(other.pk, at=NOON) == []


def test_a_credit_rate_starts_at_the_local_midnight(organization, take):
    take(BRIEF)
    take({"credit_rates": [{"currency": "CNY", "price": "0.002", "from": "2026-07-01"}]})
    starts = CreditRate.objects.order_by("effective_from").values_list("effective_from", flat=True)
    assert [f"{start:%Y-%m-%dT%H:%MZ}" for start in starts] == [
        "2025-12-31T16:00Z",
        "2026-06-30T16:00Z",
    ]
    rates = loaded_rates(organization.pk)
    before, after = datetime(2026, 6, 30, 15, 59, tzinfo=UTC), starts[1]
    assert rates.credits(10**12, "CNY", before) == 1_000 * 10**12
    assert rates.credits(10**12, "CNY", after) == 500 * 10**12


def test_credit_and_exchange_rates_may_be_entered_one_by_one(organization):
    start = datetime(2025, 12, 31, 16, tzinfo=UTC)
    for enter, what, currency, amount in (
        (add_credit_rate, "credit", "CNY", "0.001"),
        (add_fx_rate, "USD", "CNY", "7.1"),
    ):
        row = ConversionRow(
            what=what, currency=currency, price=Decimal(amount), effective_from=start
        )
        assert enter(row, organization=organization).conversions.added == 1
    rates = loaded_rates(organization.pk)
    assert rates.base(10**12, "USD", NOON) == 7_100_000_000_000
    assert rates.credits(10**12, "USD", NOON) == 7_100 * 10**12


def test_a_name_in_the_logs_may_be_mapped_to_a_listed_model(organization, add):
    add("3")
    used = use(provider="azure", response_model="our-opal", input_tokens=1_000_000)
    assert loaded_rates(organization.pk).rate(used, NOON).state == "unpriced"
    row = AliasRow(provider="azure", alias="our-opal", model_provider="testing", model="opal")
    assert add_alias(row, organization=organization).aliases == 1
    assert loaded_rates(organization.pk).rate(used, NOON).cost == 3_000_000_000_000
    assert add_alias(row, organization=organization).version is None


def test_the_table_in_force_is_that_of_the_moment(organization, add, django_assert_num_queries):
    add("3")
    add("2", "2026-07-01")
    with django_assert_num_queries(2):
        rows = price_table_in_force(organization.pk, at=NOON)
    assert [(row.book, row.model, row.unit, row.price) for row in rows] == [
        ("own", "opal", "input", Decimal(3))
    ]
