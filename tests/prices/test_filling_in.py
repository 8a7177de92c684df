"""What was not known when a request came follows the prices of its day; a cost that was known stays."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from accounting.models import Organization, Project, UsageEvent, UsageHour
from accounting.queries.explain import explanations
from accounting.services import filling_in
from accounting.services.closed_months import close_month
from accounting.services.filling_in import fill_in, unfilled_organizations
from accounting.services.price_files import BookRow
from accounting.services.price_rows import AliasRow, ConversionRow, MultiplierRow, RateRow
from accounting.services.pricebooks import add_alias, add_credit_rate, add_fx_rate, add_rates
from accounting.services.rollups import differences
from accounting.tasks import sweep_repricings
from tests.posting.conftest import post_to
from tests.prices.conftest import BRIEF
from tests.records import usage_record
from tests.repricing.conftest import apply, draft, undo, whole_books

pytestmark = pytest.mark.django_db
FIRST, FIFTH, TENTH = (datetime(2026, 3, day, 12, tzinfo=UTC) for day in (1, 5, 10))
BEFORE = datetime(2026, 2, 1, tzinfo=UTC)
A, B = ("3", BEFORE), ("2", FIFTH)
MILLION = 1_000_000


@pytest.fixture
def dollars(db):
    organization = Organization.objects.create(slug="acme", name="Acme", currency="USD")
    Project.objects.create(pk=1, organization=organization, slug="default", name="Default")
    return organization


def row(price, since, unit="input"):
    return RateRow(
        provider="testing", model="opal", unit=unit, price=Decimal(price), effective_from=since
    )


def enter(organization, *prices):
    """Prices of a million tokens of input with the days from which they hold; output costs nothing."""
    rows = [row(*price) for price in prices]
    return add_rates(
        [*rows, row("0", BEFORE, "output")],
        organization=organization,
        book=BookRow(code="own", currency="USD"),
    )


def post(organization, **times):
    """One request of a million input tokens at each time."""
    records = [
        usage_record(name, at=at, session_id="s", input_tokens=MILLION, output_tokens=0)
        for name, at in times.items()
    ]
    post_to(organization.pk, records)


def costs(organization):
    return {event.response_id: event.cost for event in UsageEvent.objects.of(organization.pk)}


def is_whole(organization):
    """Whether every sum is right, and every charge what its own version of the prices says."""
    explained = explanations(organization.pk, UsageEvent.objects.of(organization.pk))
    return set(differences(organization_id=organization.pk).values()) == {0} and all(
        one.is_exact for one in explained
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param([[A, B]], [], id="before the import"),
        pytest.param([], [[A, B]], id="in one table"),
        pytest.param([], [[A], [B]], id="the earlier day first"),
        pytest.param([], [[B], [A]], id="the later day first"),
        pytest.param([], [[("9", BEFORE)], [B], [A]], id="a wrong price, then corrected"),
        pytest.param([], [[A], [("9", FIFTH)], [B]], id="a wrong later price, then corrected"),
    ],
)
def test_each_day_costs_its_price_whenever_the_prices_were_entered(dollars, before, after):
    for prices in before:
        enter(dollars, *prices)
    post(dollars, one=FIRST, five=FIFTH, ten=TENTH)
    for prices in after:
        enter(dollars, *prices)

    assert costs(dollars) == {"one": 3, "five": 2, "ten": 2}
    assert sum(hour.cost for hour in UsageHour.objects.of(dollars.pk)) == 7
    assert is_whole(dollars)


def test_what_was_priced_and_what_followed_are_counted(dollars):
    post(dollars, one=FIRST, ten=TENTH)
    first, second, third = (enter(dollars, price) for price in (A, B, ("2", TENTH)))
    assert (first.newly_priced, first.followed) == (2, 0)
    assert (second.newly_priced, second.followed) == (0, 1)
    assert (third.version, third.newly_priced, third.followed) == (None, 0, 0)


def test_a_cost_that_was_known_when_the_request_came_stays(dollars):
    enter(dollars, A)
    post(dollars, one=FIRST, ten=TENTH)
    changed = enter(dollars, B)
    assert (changed.newly_priced, changed.followed) == (0, 0)
    assert costs(dollars) == {"one": 3, "ten": 3}
    assert is_whole(dollars)


def test_what_was_partly_priced_follows_whole(dollars):
    price = lambda unit, amount, since: add_rates(  # noqa: E731
        [row(amount, since, unit)],
        organization=dollars,
        book=BookRow(code="own", currency="USD"),
    )
    price("input", "3", BEFORE)
    post_to(dollars.pk, [usage_record("r", at=TENTH, input_tokens=MILLION, output_tokens=MILLION)])
    assert UsageEvent.objects.get().cost_state == "partial"
    price("output", "15", BEFORE)
    assert costs(dollars) == {"r": 18}
    price("input", "2", FIFTH)
    assert costs(dollars) == {"r": 17}
    assert is_whole(dollars)


def test_a_price_that_ends_takes_what_it_filled_in_away_again(dollars):
    post(dollars, one=FIRST, ten=TENTH)
    enter(dollars, A)
    ended = RateRow(
        provider="testing",
        model="opal",
        unit="input",
        price=Decimal(3),
        effective_from=BEFORE,
        effective_to=FIFTH,
    )
    add_rates([ended], organization=dollars, book=BookRow(code="own", currency="USD"))
    assert costs(dollars) == {"one": 3, "ten": None}
    assert is_whole(dollars)


def test_names_and_factors_that_come_later_are_followed_too(dollars):
    post_to(
        dollars.pk,
        [usage_record("r", at=TENTH, response_model="opal-x", input_tokens=MILLION)],
    )
    enter(dollars, A)
    assert costs(dollars) == {"r": None}
    add_alias(
        AliasRow(provider="testing", alias="opal-x", model_provider="testing", model="opal"),
        organization=dollars,
    )
    assert costs(dollars) == {"r": 3}
    double = MultiplierRow(
        provider="testing",
        model="opal",
        unit="",
        factor=Decimal(2),
        stack_group="surcharge",
        effective_from=FIFTH,
    )
    add_rates([double], organization=dollars, book=BookRow(code="own", currency="USD"))
    assert costs(dollars) == {"r": 6}
    assert is_whole(dollars)


def conversion(what, price, since):
    return ConversionRow(what=what, currency="CNY", price=Decimal(price), effective_from=since)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_conversions_of_each_day_follow_and_the_cost_stays(dollars, order):
    dollars.currency = "CNY"
    dollars.save()
    enter(dollars, A)
    post(dollars, one=FIRST, ten=TENTH)
    enter(dollars, B)  # changes nothing: the costs were known
    fx = [conversion("USD", "7", BEFORE), conversion("USD", "8", FIFTH)]
    for place in order:
        add_fx_rate(fx[place], organization=dollars)
    credit = [conversion("credit", "0.01", BEFORE), conversion("credit", "0.02", FIFTH)]
    for place in order:
        add_credit_rate(credit[place], organization=dollars)

    amounts = {
        event.response_id: (event.cost, event.cost_base, event.credits, event.filled_in)
        for event in UsageEvent.objects.of(dollars.pk)
    }
    # The newest price of the tenth is another than the one it was posted with, so that no version
    # of the prices explains its cost and its conversions together: a repricing must say which.
    assert amounts == {
        "one": (3, 21, 2100, "conversions"),
        "ten": (3, None, None, ""),
    }
    assert is_whole(dollars)


def test_a_rate_that_was_known_stays_when_another_is_filled_in(dollars):
    dollars.currency = "CNY"
    dollars.save()
    add_fx_rate(conversion("USD", "7", BEFORE), organization=dollars)
    enter(dollars, A)
    post(dollars, ten=TENTH)
    add_credit_rate(conversion("credit", "0.01", BEFORE), organization=dollars)
    add_credit_rate(conversion("credit", "0.02", FIFTH), organization=dollars)
    event = UsageEvent.objects.get()
    assert (event.cost_base, event.credits, event.filled_in) == (21, 1050, "credits")
    add_fx_rate(conversion("USD", "8", FIFTH), organization=dollars)
    event.refresh_from_db(fields=["cost_base", "credits"])
    assert (event.cost_base, event.credits) == (21, 1050)
    assert is_whole(dollars)


def test_told_again_a_request_costs_what_holds_then_and_keeps_it(dollars):
    post(dollars, ten=TENTH)
    enter(dollars, A)
    more = usage_record("ten", at=TENTH, session_id="s", input_tokens=MILLION, output_tokens=9)
    post_to(dollars.pk, [more])
    assert UsageEvent.objects.get().filled_in == ""
    enter(dollars, B)
    assert costs(dollars) == {"ten": 3}
    assert is_whole(dollars)


def test_the_same_telling_again_leaves_a_cost_that_follows(dollars):
    post(dollars, ten=TENTH)
    enter(dollars, A)
    post(dollars, ten=TENTH)
    enter(dollars, B)
    assert costs(dollars) == {"ten": 2}


def test_what_a_repricing_has_changed_follows_no_longer_and_again_once_it_is_undone(dollars):
    dollars.currency = "CNY"
    dollars.save()
    enter(dollars, A)
    post(dollars, ten=TENTH)
    add_fx_rate(conversion("USD", "7", BEFORE), organization=dollars)
    before = whole_books(dollars)
    enter(dollars, B)
    run = apply(draft(dollars))
    event = UsageEvent.objects.get()
    assert (event.cost, event.cost_base, event.filled_in) == (2, 14, "")
    add_fx_rate(conversion("USD", "8", FIFTH), organization=dollars)
    event.refresh_from_db(fields=["cost_base"])
    assert event.cost_base == 14
    undo(run)
    assert whole_books(dollars) == before
    assert is_whole(dollars)


def test_what_was_filled_in_stays_once_its_month_is_closed(dollars):
    post(dollars, one=FIRST, ten=TENTH)
    enter(dollars, A)
    close_month(
        organization_id=dollars.pk,
        month=date(2026, 3, 1),
        now=datetime(2026, 5, 1, tzinfo=UTC),
    )
    changed = enter(dollars, B)
    assert (changed.newly_priced, changed.followed) == (0, 0)
    assert costs(dollars) == {"one": 3, "ten": 3}


def test_a_process_that_died_after_the_prices_leaves_the_rest_to_the_sweep(
    dollars, monkeypatch, at_once
):
    post(dollars, one=FIRST, five=FIFTH, ten=TENTH)
    alive = filling_in.fill_chunk
    chunks = iter(range(2))

    def dies_in_the_middle(**wanted):
        if next(chunks, None) is None:
            raise SystemExit
        return alive(**{**wanted, "chunk": 1})

    monkeypatch.setattr(filling_in, "fill_chunk", dies_in_the_middle)
    with pytest.raises(SystemExit):
        enter(dollars, A)
    monkeypatch.undo()
    assert costs(dollars) == {"one": 3, "five": None, "ten": None}
    assert is_whole(dollars)
    assert unfilled_organizations() == [dollars.pk]

    sweep_repricings()

    assert costs(dollars) == {"one": 3, "five": 3, "ten": 3}
    assert unfilled_organizations() == []
    assert is_whole(dollars)


def test_prices_that_come_while_others_are_being_filled_in_begin_anew(dollars, monkeypatch):
    post(dollars, one=FIRST, five=FIFTH, ten=TENTH)
    with monkeypatch.context() as patched:
        patched.setattr(filling_in, "fill_chunk", lambda **_: filling_in.Filled())
        enter(dollars, A)
    fill_in(organization_id=dollars.pk, seconds=0)
    for _ in range(2):
        filling_in.fill_chunk(organization_id=dollars.pk, chunk=1)
    enter(dollars, B)
    assert costs(dollars) == {"one": 3, "five": 2, "ten": 2}
    assert is_whole(dollars)


@pytest.mark.parametrize("chunk", [1, 2, 3, 4_000])
def test_chunks_of_any_size_give_the_same(dollars, monkeypatch, chunk):
    with monkeypatch.context() as patched:
        patched.setattr(filling_in, "fill_chunk", lambda **_: filling_in.Filled())
        enter(dollars, A)
        post_to(
            dollars.pk,
            [
                usage_record(f"r{n}", at=FIFTH, response_model="later", input_tokens=n * MILLION)
                for n in range(1, 6)
            ],
        )
        add_alias(
            AliasRow(provider="testing", alias="later", model_provider="testing", model="opal"),
            organization=dollars,
        )
    filled = fill_in(organization_id=dollars.pk, chunk=chunk)
    assert filled.priced == 5
    assert costs(dollars) == {f"r{n}": 3 * n for n in range(1, 6)}
    assert is_whole(dollars)


def test_an_import_prices_what_had_no_price(organization, take):
    Project.objects.create(pk=1, organization=organization, slug="default", name="Default")
    post_to(organization.pk, [usage_record("r1", input_tokens=MILLION, output_tokens=0)])
    (event,) = UsageEvent.objects.of(organization.pk)
    assert (event.cost_state, event.cost) == ("unpriced", None)
    changed = take(BRIEF)
    (event,) = UsageEvent.objects.of(organization.pk)
    assert changed.newly_priced == 1
    assert (event.cost_state, event.cost, event.credits) == (
        "priced",
        Decimal("0.5"),
        Decimal(500),
    )
