"""Currencies and credits: dated rates, frozen with each cost, and credits of several kinds."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command

from accounting.domain.errors import BadRateError
from accounting.models import CreditRate, FxRate, Organization, Project, UsageEvent
from accounting.queries.prices import loaded_rates
from accounting.queries.spend import usage_totals
from accounting.services.credit_presets import PRESETS, preset_named, use_preset
from accounting.services.fx import import_ecb
from accounting.services.price_rows import ConversionRow
from accounting.services.pricebooks import add_credit_rate
from tests.books import NOON, credit, rate, rate_book, use
from tests.posting.conftest import post_to
from tests.queries.asking import wanted
from tests.records import usage_record

PICO = 10**12
START = datetime(2026, 1, 1, tzinfo=UTC)
DOLLAR = {
    "book": {"code": "dollars", "currency": "USD"},
    "rates": [
        {"provider": "testing", "model": "opal", "unit": unit, "price": price, "from": "2026-01-01"}
        for unit, price in (("input", "0.1"), ("output", "1"))
    ],
    "credit_rates": [{"kind": "credit", "currency": "CNY", "price": "0.001", "from": "2026-01-01"}],
}
HISTORY = (
    b"Date,USD,JPY,CNY,\n"
    b"2026-03-11,1.25,150,N/A,\n"
    b"2026-03-10,1.25,150,8.875,\n"
    b"2026-03-09,1.10,150,7.70,\n"
    b"2019-12-31,1.00,150,7.00,\n"
)


def fx(rate, day):
    row = {"from_currency": "USD", "to_currency": "CNY", "rate": rate, "from": day}
    return {"fx_rates": [row]}


@pytest.fixture
def post(organization):
    Project.objects.create(pk=1, organization=organization, slug="default", name="Default")
    return lambda *records: post_to(organization.pk, records)


def test_a_dollar_cost_keeps_the_credits_of_its_day(organization, take, post):
    take(DOLLAR)
    take(fx("7.10", "2026-03-10"))
    post(usage_record("a", at=NOON, input_tokens=1_000_000, output_tokens=0))

    def amounts():
        event = UsageEvent.objects.get()
        return (event.cost, event.cost_base, event.credits)

    assert amounts() == (Decimal("0.1"), Decimal("0.71"), Decimal(710))
    take(fx("9.99", "2026-03-10"))
    take(fx("5", "2026-03-01"))
    assert amounts() == (Decimal("0.1"), Decimal("0.71"), Decimal(710))


def test_a_rate_holds_from_its_local_midnight_on(organization, take):
    take(fx("7.10", "2026-03-10"))
    rates = loaded_rates(organization.pk)
    midnight = datetime(2026, 3, 9, 16, tzinfo=UTC)
    assert rates.base(PICO, "USD", midnight) == 7_100_000_000_000
    assert rates.base(PICO, "USD", datetime(2026, 3, 9, 15, 59, tzinfo=UTC)) is None


def test_totals_say_which_currencies_were_converted(organization, take, post):
    take(DOLLAR)
    post(usage_record("a", at=NOON, input_tokens=1_000_000, output_tokens=0))
    march = wanted(organization, **{"from": ["2026-03-01"], "to": ["2026-04-01"]})
    assert usage_totals(march).cost_base_currencies == ()
    take(fx("7.10", "2026-03-10"))
    found = usage_totals(march)
    assert (found.cost_base, found.cost_base_currencies) == (Decimal("0.71"), ("USD",))


def test_the_central_banks_file_gives_cross_rates_without_rounding(organization, take):
    take(DOLLAR)
    changed = import_ecb(HISTORY, organization=organization)
    # What the books need, from 2020 on: CNY on two days, USD on two (the third day repeats it).
    assert changed.conversions.added == 4
    rates = loaded_rates(organization.pk)
    assert rates.base(PICO, "USD", NOON) == 7_100_000_000_000
    assert rates.base(PICO, "EUR", NOON) == 8_875_000_000_000
    assert rates.credits(PICO, "USD", NOON) == 7_100 * PICO
    # The day without a rate for CNY keeps the one before it.
    assert rates.base(PICO, "EUR", datetime(2026, 3, 12, tzinfo=UTC)) == 8_875_000_000_000
    assert import_ecb(HISTORY, organization=organization).version is None


def test_the_banks_daily_file_is_read_too(organization):
    daily = b"Date, USD, CNY, \n30 November 2026, 1.1593, 8.2310, \n"
    import_ecb(daily, organization=organization, currencies=["CNY"])
    (rate,) = FxRate.objects.all()
    assert (rate.from_currency, rate.to_currency, rate.rate) == ("EUR", "CNY", Decimal("8.2310"))
    assert rate.effective_from == datetime(2026, 11, 29, 16, tzinfo=UTC)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"Day,USD\n2026-01-01,1\n", "layout"),
        (b"Date,JPY\n2026-01-01,1\n", "no column CNY"),
        (b"Date,CNY\nyesterday,1\n", "is no day"),
        (b"Date,CNY\n2026-01-01,1e3\n", "is no amount"),
        (b"Date,CNY\n2026-01-01,0\n", "a rate of 0"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_a_file_of_another_layout_is_refused(organization, content, said):
    with pytest.raises(BadRateError, match=said):
        import_ecb(content, organization=organization, currencies=["CNY"])
    assert not FxRate.objects.exists()


def test_a_rate_quoted_the_other_way_is_turned_round():
    book = rate_book(fx_rates=[credit("0.125", what="CNY", currency="USD")])
    assert book.base(PICO, "USD", NOON) == 8 * PICO


def test_an_amount_is_readable_in_every_kind_of_credit():
    kinds = [
        credit("0.04", "USD", "codex"),
        credit("0.01", "USD", "ai-credit"),
        credit("0.001", "CNY", "credit"),
    ]
    book = rate_book(credit_rates=kinds, fx_rates=[credit("7.1", what="USD")], currency="CNY")
    told = book.conversions.exchanged
    assert told(PICO, "USD", "CODEX", NOON) == 25 * PICO
    assert told(PICO, "USD", "AI-CREDIT", NOON) == 100 * PICO
    assert told(PICO, "CODEX", "AI-CREDIT", NOON) == 4 * PICO
    assert told(PICO, "CODEX", "CREDIT", NOON) == 284 * PICO
    assert told(PICO, "CREDIT", "USD", NOON) == 140_845_070  # 0.001 / 7.1
    assert told(PICO, "GBP", "CREDIT", NOON) is None


def test_prices_quoted_in_credits_stay_as_quoted(organization):
    use_preset(
        preset_named("codex"), organization=organization, start=START, with_quoted_prices=True
    )
    rates = loaded_rates(organization.pk)
    asked = use(provider="openai", response_model="gpt-5.4-mini", output_tokens=1_000_000)
    rating = rates.rate(asked, NOON)
    # 4.50 USD are 112.5 credits; the vendor's own table says 113.
    assert (rating.currency, rating.cost) == ("CODEX", 113 * PICO)
    assert rates.credits(rating.cost, rating.currency, NOON) == 113 * PICO
    assert rates.conversions.exchanged(rating.cost, "CODEX", "USD", NOON) == 4_520_000_000_000


@pytest.mark.parametrize(
    ("name", "credits"), [("new-api", 500_000), ("github", 100), ("codex", 25)]
)
def test_a_preset_is_worth_what_its_vendor_says(organization, name, credits):
    preset = preset_named(name)
    use_preset(preset, organization=organization, start=START)
    conversions = loaded_rates(organization.pk).conversions
    assert conversions.exchanged(PICO, "USD", preset.kind.upper(), NOON) == credits * PICO


def test_credits_priced_in_each_other_are_no_price():
    loop = [credit("2", "B", "a"), credit("2", "A", "b")]
    assert rate_book(rate("input", "1"), credit_rates=loop).conversions.exchanged(
        PICO, "CNY", "A", NOON
    ) is None  # fmt: skip


@pytest.fixture
def run(organization, capsys):
    def run_command(*arguments):
        call_command(*arguments, "--organization", "acme")
        return capsys.readouterr().out

    return run_command


def test_credits_by_command(organization, run, capsys):
    call_command("credits", "presets")
    assert len(capsys.readouterr().out.splitlines()) == len(PRESETS)
    run("credits", "use", "github", "--from", "2026-01-01")
    run("credits", "set", "--kind", "credit", "--price", "0.001", "--from", "2026-01-01")
    assert '"kind": "ai-credit"' in run("credits", "list", "--json")
    assert set(CreditRate.objects.values_list("kind", "price")) == {
        ("ai-credit", Decimal("0.01")),
        ("credit", Decimal("0.001")),
    }
    for wrong in (
        ("use", "shells"),
        ("set", "--price", "0"),
        ("set", "--price", "1", "--currency", "RMB"),
        ("set", "--price", "1", "--kind", "eur"),
    ):
        with pytest.raises(CommandError):
            run("credits", *wrong)
    assert CreditRate.objects.count() == 2


def test_exchange_rates_by_command(organization, run, tmp_path):
    path = tmp_path / "eurofxref-hist.csv"
    path.write_bytes(HISTORY)
    assert '"added": 2' in run("fx", "import", str(path), "--currencies", "CNY", "--json")
    assert '"rate": "8.875"' in run("fx", "list", "--json")
    with pytest.raises(CommandError):
        run("fx", "import", str(tmp_path / "none.csv"))
    with pytest.raises(CommandError, match="'RMB' is no currency"):
        run("fx", "import", str(path), "--currencies", "CNY,RMB")


@pytest.mark.django_db
def test_a_second_kind_of_credit_does_not_change_what_credits_mean(organization):
    for kind, price in (("quota", "0.000002"), ("codex", "0.04")):
        add_credit_rate(
            ConversionRow(what=kind, currency="USD", price=Decimal(price), effective_from=START),
            organization=organization,
        )

    rates = loaded_rates(organization.pk)
    assert Organization.objects.get(pk=organization.pk).credit_kind == "quota"
    assert rates.credits(6 * 10**9, "USD", START) == 3000 * PICO
