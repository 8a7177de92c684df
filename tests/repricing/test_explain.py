"""Every cost can be computed again, to the digit, by the prices it was priced with."""

import json
import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounting.models import Import, UsageEvent
from accounting.queries.explain import event_of, explanations, sampled
from accounting.queries.filters import usage_filter
from accounting.queries.writing_explained import written_explanation
from accounting.services.closed_months import close_month
from accounting.services.price_rows import ConversionRow
from accounting.services.pricebooks import add_credit_rate, add_fx_rate
from accounting.services.tenants import create_api_key
from tests.records import NOON, usage_record
from tests.repricing.conftest import BEGINNING, NOW, apply, draft, set_price

pytestmark = pytest.mark.django_db
NOVEMBER = datetime(2026, 11, 20, 9, tzinfo=UTC)


def explained(organization, response_id):
    (found,) = explanations(organization.pk, [event_of(organization.pk, response_id)])
    return found


def thousand(chance):
    return [
        usage_record(
            f"r{n}",
            at=NOON + timedelta(minutes=chance.randrange(60 * 24 * 200)),
            response_model=chance.choice(["opal", "opal", "jade", "unknown"]),
            service_tier=chance.choice(["", "", "swift"]),
            status=chance.choice(["ok", "ok", "error"]),
            gateway_cache_hit=chance.random() < 0.05,
            input_tokens=chance.choice([None, chance.randrange(1_000, 900_000)]),
            cache_read_input_tokens=chance.choice([None, chance.randrange(1_000)]),
            output_tokens=chance.randrange(100_000),
        )
        for n in range(1_000)
    ]


def rates_of_the_day(organization):
    set_price(organization, "0.075", model="jade")
    set_price(organization, "0.3333", model="jade", since=NOON + timedelta(days=50))
    add_fx_rate(
        ConversionRow(what="USD", currency="CNY", price=Decimal("7.13"), effective_from=BEGINNING),
        organization=organization,
    )
    add_credit_rate(
        ConversionRow(
            what="credit", currency="CNY", price=Decimal("0.003"), effective_from=BEGINNING
        ),
        organization=organization,
    )


def wrong_ones(organization, events):
    """Explanations that differ from what is stored in any amount."""
    return [
        found
        for found in explanations(organization.pk, events)
        if not found.is_exact
        or (found.cost_base, found.credits) != (found.event.cost_base, found.event.credits)
        or sum(line.line.amount or 0 for line in found.lines)
        != int((found.event.cost or 0) * 10**12)
    ]


def test_a_thousand_random_events_are_explained_to_the_digit_after_a_repricing_too(
    organization, post
):
    organization.currency = "CNY"
    organization.save()
    chance = random.Random(4)
    records = thousand(chance)
    post(*records[:300])
    rates_of_the_day(organization)
    post(*records[300:])
    events = UsageEvent.objects.of(organization.pk)
    assert len({event.price_version for event in events.all()}) > 1
    assert events.filter(cost__gt=0).count() > 500
    assert wrong_ones(organization, events.all()) == []

    set_price(organization, "2.7182818")
    set_price(organization, "0.07", model="jade")
    run = apply(draft(organization))

    assert run.outcome["changed"] > 200
    assert wrong_ones(organization, events.all()) == []


def test_an_explanation_names_the_rate_its_source_and_why(organization, post):
    source = Import.objects.create(
        organization=organization, door="upload", name="march.jsonl", format="native"
    )
    place = {"import_id": source.pk, "line": 7, "path": "a.jsonl", "byte_offset": 812}
    post(usage_record("a", input_tokens=1_000_000, output_tokens=2_000_000, place=place))
    set_price(organization, "4")

    found = explained(organization, "a")

    first, second = found.lines
    assert (first.line.unit, first.line.quantity, first.line.amount) == (
        "input",
        1_000_000,
        3 * 10**12,
    )
    assert first.rate.row.price == 3
    assert first.rate.why == (
        "organization book own",
        "names testing/opal",
        "in force from 2020-01-01T00:00:00+00:00",
    )
    assert second.line.amount == 30 * 10**12
    told = written_explanation(found)
    where = [told[n] for n in ("import_name", "path", "line", "byte_offset", "revisions")]
    assert where == ["march.jsonl", "a.jsonl", 7, 812, []]


def test_an_explanation_tells_what_a_run_changed(organization, post):
    post(usage_record("a", input_tokens=1_000_000, output_tokens=0))
    set_price(organization, "4")
    run = apply(draft(organization))

    found = explained(organization, "a")

    (revision,) = found.revisions
    assert (revision.run_id, revision.old_cost, revision.new_cost) == (run.pk, 3, 4)
    assert (found.event.cost, found.is_exact) == (4, True)


def test_a_correction_is_explained_by_the_event_it_corrects(organization, post):
    post(usage_record("n", at=NOVEMBER, input_tokens=1_000_000, output_tokens=0))
    close_month(organization_id=organization.pk, month=date(2026, 11, 1), now=NOW)
    set_price(organization, "4")
    apply(draft(organization))
    original = event_of(organization.pk, "n")
    correction = UsageEvent.objects.of(organization.pk).get(operation="correction")

    (found,) = explanations(organization.pk, [correction])

    assert (found.event.cost, found.is_exact) == (1, True)
    assert found.corrects == bytes(original.dedupe_key).hex()
    assert [line.line.amount for line in found.lines] == [4 * 10**12]
    assert found.revisions[0].booked_at == datetime(2026, 12, 1, tzinfo=UTC)


@pytest.mark.parametrize("amount", ["cost", "cost_base", "credits", "cost_input"])
def test_any_amount_that_is_not_what_the_prices_say_shows(organization, post, amount):
    rates_of_the_day(organization)
    post(usage_record("a", input_tokens=1_000_000, output_tokens=0))
    assert explained(organization, "a").is_exact
    stored = getattr(event_of(organization.pk, "a"), amount)
    UsageEvent.objects.update(**{amount: stored + Decimal("0.000000000001")})
    assert not explained(organization, "a").is_exact


def test_corrections_in_a_credit_and_another_currency_are_explained_too(organization, post):
    organization.currency = "CNY"
    organization.save()
    rates_of_the_day(organization)
    post(usage_record("n", at=NOVEMBER, input_tokens=1_000_000, output_tokens=0))
    close_month(organization_id=organization.pk, month=date(2026, 11, 1), now=NOW)
    set_price(organization, "4")
    apply(draft(organization))
    correction = UsageEvent.objects.of(organization.pk).get(operation="correction")
    assert (correction.cost, correction.cost_base) == (1, Decimal("7.13"))
    assert explanations(organization.pk, [correction])[0].is_exact
    UsageEvent.objects.filter(operation="correction").update(cost_base=Decimal(8))
    correction.refresh_from_db(fields=["cost_base"])
    assert not explanations(organization.pk, [correction])[0].is_exact


def test_a_sample_is_fair_repeatable_and_wraps_around(organization, post):
    post(*(usage_record(f"r{n}", input_tokens=n) for n in range(20)))
    wanted = usage_filter({"from": ["2026-03-01"], "to": ["2026-04-01"]}, organization, NOW)

    ten = [event.response_id for event in sampled(wanted, 10, "x")]

    assert len(set(ten)) == 10
    assert ten == [event.response_id for event in sampled(wanted, 10, "x")]
    draws = {tuple(e.response_id for e in sampled(wanted, 10, seed)) for seed in "abcdefgh"}
    assert len(draws) > 1
    assert len(sampled(wanted, 50, "x")) == 20


def test_rest_explains_an_event_and_a_sample(organization, post, client):
    post(usage_record("a", input_tokens=1_000_000, output_tokens=0))
    key = create_api_key(organization_id=organization.pk, project_id=1, name="k", scopes=["read"])
    headers = {"X-Api-Key": key}

    def ask(**query):
        return client.get("/api/v1/explain", query, headers=headers)

    (row,) = ask(event="a").json()["rows"]
    assert (row["cost"], row["currency"], row["is_exact"]) == ("3", "USD", True)
    assert [line["amount"] for line in row["lines"]] == ["3"]
    assert row["lines"][0]["rate"]["book"] == "own"
    assert ask(event=row["event"]).json()["rows"] == [row]
    days = {"from": "2026-03-01", "to": "2026-04-01"}
    assert ask(sample="3", **days).json()["rows"] == [row]
    assert ask(event="b").status_code == 404
    assert ask(sample="0").json()["code"] == "bad_sample"
    shape = client.get("/api/schema/").json()["components"]["schemas"]
    assert set(row) == set(shape["Explanation"]["properties"])
    assert set(row["lines"][0]) == set(shape["BillLine"]["properties"])
    assert set(row["lines"][0]["rate"]) == set(shape["AppliedRate"]["properties"])


def test_another_organizations_event_is_not_explained(organization, post):
    post(usage_record("a", input_tokens=1))
    assert event_of(organization.pk + 1, "a") is None


def test_the_command_explains_by_key_and_by_sample(organization, post):
    post(usage_record("a", input_tokens=1_000_000, output_tokens=0))
    ours = ["--organization", "acme"]

    def run(*arguments):
        out = StringIO()
        call_command("explain", *arguments, *ours, stdout=out)
        return out.getvalue()

    row = json.loads(run("a", "--json"))
    assert row["cost"] == "3"
    days = ["--from", "2026-03-01", "--to", "2026-04-01"]
    assert json.loads(run("--sample", "5", "--json", *days)) == row
    assert "input: 1000000 x 3 / 1000000 x 1 = 3" in run(row["event"])
    with pytest.raises(CommandError, match="no event 'b'"):
        run("b")
