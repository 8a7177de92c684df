"""A run shows first, then changes exactly that, and can be taken back."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from accounting.models import SessionTotal, UsageEvent, UsageHour
from accounting.services import reprice_runs
from accounting.services.price_files import BookRow
from accounting.services.price_rows import AliasRow, ConversionRow, RateRow
from accounting.services.pricebooks import add_alias, add_credit_rate, add_fx_rate, add_rates
from accounting.services.reprice_runs import (
    RepricingBusyError,
    RepricingStateError,
    apply_run,
    undo_run,
)
from accounting.services.repricing_chunks import do_chunk
from tests.records import NOON, usage_record
from tests.repricing.conftest import (
    BEGINNING,
    apply,
    draft,
    is_whole,
    revisions,
    set_price,
    undo,
    whole_books,
)

pytestmark = pytest.mark.django_db


def cost_of(organization, response_id):
    return UsageEvent.objects.of(organization.pk).get(response_id=response_id).cost


def test_a_dry_run_shows_the_difference_and_changes_nothing(organization, post):
    post(usage_record("a", input_tokens=1_000_000), usage_record("b", output_tokens=1_000_000))
    set_price(organization, "4")
    before = whole_books(organization)

    run = draft(organization)

    (row,) = run.draft["rows"]
    assert (run.state, run.draft["events"], run.draft["changed"]) == ("drafted", 2, 1)
    assert (row["month"], row["model"], row["cause"]) == ("2026-03", "opal", "rate_changed")
    assert (row["old_cost"], row["new_cost"], row["difference_cost"]) == ("3", "4", "1")
    assert whole_books(organization) == before


def test_applying_gives_what_the_dry_run_said_and_undoing_gives_back_everything(organization, post):
    post(
        *(
            usage_record(
                f"r{n}", at=NOON + timedelta(hours=7 * n), session_id=f"s{n % 3}",
                input_tokens=1_000 + n, cache_read_input_tokens=n, output_tokens=10 * n,
            )
            for n in range(50)
        )
    )  # fmt: skip
    before = whole_books(organization)
    set_price(organization, "3.7")

    run = apply(draft(organization, chunk=8), chunk=7)

    assert run.state == "applied"
    assert run.draft == run.outcome
    assert (run.outcome["changed"], revisions(run).count()) == (50, 50)
    assert cost_of(organization, "r0") == Decimal("0.0037")
    assert is_whole(organization)

    undo(run, chunk=11)

    assert (run.state, run.kept) == ("undone", 0)
    assert whole_books(organization) == before
    assert is_whole(organization)


def test_only_what_the_filter_means_is_repriced(organization, post):
    set_price(organization, "5", model="jade")
    post(
        usage_record("a", input_tokens=1_000_000),
        usage_record("b", response_model="jade", input_tokens=1_000_000),
        usage_record("c", at=datetime(2026, 4, 1, tzinfo=UTC), input_tokens=1_000_000),
    )
    set_price(organization, "4")
    set_price(organization, "6", model="jade")

    run = apply(draft(organization, start="2026-03-01", end="2026-04-01", model="opal"))

    costs = [cost_of(organization, name) for name in "abc"]
    assert (run.outcome["events"], costs) == (1, [4, 5, 3])


def test_every_cause_is_named(organization, post):
    post(
        usage_record("alias", response_model="opal-x", input_tokens=1_000_000, output_tokens=0),
        usage_record("tier", service_tier="swift", input_tokens=1_000_000, output_tokens=0),
        usage_record("rate", input_tokens=1_000_000, output_tokens=1_000_000),
    )
    first = draft(organization)
    assert [row["model"] for row in first.draft["unpriced"]] == ["opal-x"]
    assert first.draft["changed"] == 0

    add_rates(
        [
            RateRow(
                provider="testing", model="opal", unit="input", price=Decimal(9),
                effective_from=BEGINNING, conditions=(("service_tier", "swift"),),
            )
        ],
        organization=organization,
        book=BookRow(code="own", currency="USD"),
    )  # fmt: skip
    set_price(organization, "16", unit="output")
    add_credit_rate(
        ConversionRow(
            what="credit", currency="USD", price=Decimal("0.01"), effective_from=BEGINNING
        ),
        organization=organization,
    )
    run = draft(organization)

    causes = {row["cause"]: row["difference_cost"] for row in run.draft["rows"]}
    assert causes == {"tier": "6", "rate_changed": "1"}
    add_alias(
        AliasRow(provider="testing", alias="opal-x", model_provider="testing", model="opal"),
        organization=organization,
    )
    assert cost_of(organization, "alias") == 3  # filled in at once: it had no cost to keep


def test_a_later_exchange_rate_is_a_cause_of_its_own(organization, post):
    organization.currency = "CNY"
    organization.save()
    fx = ConversionRow(what="USD", currency="CNY", price=Decimal("7.1"), effective_from=BEGINNING)
    add_fx_rate(fx, organization=organization)
    post(usage_record("a", input_tokens=1_000_000))
    add_fx_rate(
        ConversionRow(what="USD", currency="CNY", price=Decimal("7.2"), effective_from=BEGINNING),
        organization=organization,
    )

    run = apply(draft(organization))

    (row,) = run.outcome["rows"]
    assert (row["cause"], row["difference_cost"], row["difference_cost_base"]) == (
        "fx_rate",
        "0",
        "0.3",
    )
    assert UsageHour.objects.of(organization.pk).get().cost_base == Decimal("21.6")


def test_a_price_in_another_currency_moves_the_amount_to_it(organization, post):
    post(usage_record("a", session_id="s", input_tokens=1_000_000))
    before = whole_books(organization)
    add_rates(
        [
            RateRow(
                provider="testing", model="opal", unit="input", price=Decimal(20),
                effective_from=BEGINNING,
            )
        ],
        organization=organization,
        book=BookRow(code="contract", currency="CNY", kind="contract"),
    )  # fmt: skip

    run = apply(draft(organization))

    rows = {row["currency"]: (row["old_cost"], row["new_cost"]) for row in run.outcome["rows"]}
    assert rows == {"USD": ("3", None), "CNY": (None, "20")}
    session = SessionTotal.objects.of(organization.pk).get()
    assert (session.currency, session.cost) == ("CNY", 20)
    assert is_whole(organization)
    undo(run)
    assert whole_books(organization) == before
    assert is_whole(organization)


def test_events_that_newer_prices_rated_are_left_to_them(organization, post):
    post(usage_record("a", input_tokens=1_000_000))
    set_price(organization, "4")
    run = draft(organization)
    set_price(organization, "5")
    post(usage_record("b", input_tokens=1_000_000))

    apply(run)

    assert (cost_of(organization, "a"), cost_of(organization, "b")) == (4, 5)
    assert run.draft == run.outcome


def test_undoing_leaves_alone_what_was_told_anew_since(organization, post):
    post(
        usage_record("a", input_tokens=1_000_000, output_tokens=0),
        usage_record("b", input_tokens=1_000_000, output_tokens=0),
    )
    set_price(organization, "4")
    run = apply(draft(organization))
    post(usage_record("a", input_tokens=1_000_000, output_tokens=1_000_000))

    undo(run)

    assert (cost_of(organization, "a"), cost_of(organization, "b")) == (19, 3)
    assert run.kept == 1
    assert is_whole(organization)


def test_a_later_run_over_the_same_events_must_be_undone_first(organization, post):
    post(usage_record("a", input_tokens=1_000_000))
    before = whole_books(organization)
    set_price(organization, "4")
    first = apply(draft(organization))
    set_price(organization, "5")
    second = apply(draft(organization))

    with pytest.raises(RepricingBusyError, match=f"repricing {second.pk} changed the same events"):
        undo(first)
    undo(second)
    undo(first)

    assert whole_books(organization) == before


def test_what_a_later_run_changes_while_undoing_waits_for_the_locks_is_seen(
    organization, post, monkeypatch
):
    post(usage_record("a", input_tokens=1_000_000))
    set_price(organization, "4")
    first = apply(draft(organization))
    set_price(organization, "5")

    def locked_at_last(*_):
        monkeypatch.undo()
        apply(draft(organization))

    monkeypatch.setattr(reprice_runs, "lock_shards", locked_at_last)
    with pytest.raises(RepricingBusyError, match="changed the same events"):
        undo(first)


def test_one_run_changes_the_books_at_a_time_and_states_are_kept(organization, post):
    post(*(usage_record(f"r{n}", input_tokens=1_000) for n in range(3)))
    set_price(organization, "4")
    one, two = draft(organization), draft(organization)
    with pytest.raises(RepricingStateError, match="changed nothing"):
        undo_run(organization_id=organization.pk, run_id=one.pk)
    apply_run(organization_id=organization.pk, run_id=one.pk)
    do_chunk(run_id=one.pk, chunk=1)

    with pytest.raises(RepricingBusyError, match=f"repricing {one.pk} is applying"):
        apply_run(organization_id=organization.pk, run_id=two.pk)
    with pytest.raises(RepricingStateError, match="no repricing"):
        apply_run(organization_id=organization.pk, run_id=10**9)


def test_a_run_that_is_not_through_can_be_undone(organization, post):
    post(*(usage_record(f"r{n}", input_tokens=1_000) for n in range(5)))
    before = whole_books(organization)
    set_price(organization, "4")
    run = draft(organization)
    apply_run(organization_id=organization.pk, run_id=run.pk)
    do_chunk(run_id=run.pk, chunk=2)
    assert whole_books(organization) != before

    undo(run)

    assert whole_books(organization) == before
    assert is_whole(organization)
