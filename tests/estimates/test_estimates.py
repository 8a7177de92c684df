"""Estimates from the books: command, REST, and the mix they are prefilled with."""

import json
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command

from accounting.models import Organization
from accounting.services.pricebooks import import_table
from tests.factories import UsageHourFactory, api_key
from tests.prices.conftest import BRIEF

pytestmark = pytest.mark.django_db
SESSION = {"turns": "8", "system_tokens": "1000", "user_tokens": "200", "answer_tokens": "400"}


@pytest.fixture
def organization():
    made = Organization.objects.create(
        slug="acme", name="Acme", currency="CNY", time_zone="Asia/Shanghai"
    )
    import_table(json.dumps(BRIEF).encode(), organization=made)
    return made


@pytest.fixture
def command(organization, capsys):
    def run(*arguments):
        call_command("estimate", *arguments, "--organization", "acme", "--json")
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def ask(client, organization):
    headers = {"X-Api-Key": api_key(organization)}

    def asked(**params):
        return client.get("/api/v1/estimate", params, headers=headers)

    return asked


def test_2500_credits_by_command(command):
    told = command("--credits", "2500", "--models", "testing/opal")
    known = {"input_tokens": 5_000_000, "output_tokens": 1_666_666, "cached_tokens": 25_000_000}
    assert next(iter(told)) == "example"
    assert told["example"]["buys"] == known
    (side,) = told["models"]
    assert (side["buys"], side["money"], side["currency"]) == (known, "2.5", "CNY")


def test_a_session_by_command(command):
    told = command(
        "--credits=2500", "--models=testing/opal", "--turns=8", "--system-tokens=1000",
        "--user-tokens=200", "--answer-tokens=400",
    )  # fmt: skip
    (side,) = told["models"]
    assert side["session_uncached"] == {
        "input_tokens": 26_400,
        "cached_tokens": 0,
        "output_tokens": 3_200,
        "cost": "0.018",
        "credits": "18",
        "sessions": 138,
    }
    assert side["session_cached"]["cached_tokens"] == 23_800
    assert (side["session_cached"]["credits"], side["session_cached"]["sessions"]) == ("8.48", 294)


def test_tokens_cost_money_and_credits_at_a_mix(ask):
    body = ask(
        input_tokens="1000000", models="testing/opal", cached_share="0.8", output_per_input="0.2"
    ).json()
    (side,) = body["models"]
    assert (side["cost"], side["credits"]) == ("0.48", "480")


LONG = {
    "book": {"code": "long", "currency": "CNY"},
    "rates": [
        {
            "provider": "testing",
            "model": "slate",
            "unit": unit,
            "price": price,
            "from": "2026-01-01",
        }
        | above
        for above, prices in (({}, ("1", "4")), ({"input_gt": "200000"}, ("2", "6")))
        for unit, price in zip(("input", "output"), prices, strict=True)
    ],
}


@pytest.mark.parametrize(("request_tokens", "cost"), [(100_000, "50"), (300_000, "100")])
def test_long_context_prices_hold_for_requests_and_not_for_their_sum(
    ask, organization, request_tokens, cost
):
    import_table(json.dumps(LONG).encode(), organization=organization)
    UsageHourFactory(
        organization=organization,
        provider="testing",
        model="slate",
        requests=10,
        input_tokens=10 * request_tokens,
        output_tokens=0,
    )
    body = ask(
        **{"from": "2026-10-01", "to": "2026-11-01"},
        input_tokens="50000000", models="testing/slate",
    ).json()  # fmt: skip
    assert body["models"][0]["cost"] == cost


def test_a_post_asks_the_same_with_exact_numbers(client, organization):
    body = {
        "credits": 2500, "models": ["testing/opal"], "cached_share": 0.8, "output_per_input": 0.25
    }  # fmt: skip
    answer = client.post(
        "/api/v1/estimate",
        json.dumps(body),
        content_type="application/json",
        headers={"X-Api-Key": api_key(organization)},
    )
    (side,) = answer.json()["models"]
    assert side["at_mix"]["mid"] == {
        "input_tokens": 4_504_504,
        "output_tokens": 1_126_126,
        "blended_price": "0.555",
    }


def test_the_mix_is_prefilled_from_the_filter(ask, organization):
    UsageHourFactory(
        organization=organization,
        provider="testing",
        model="opal",
        input_tokens=1_000,
        cache_read_input_tokens=800,
        output_tokens=250,
    )
    days = {"from": "2026-10-01", "to": "2026-11-01"}
    body = ask(credits="2500", **days).json()
    assert body["mix"] == {
        "cached_share": "0.8",
        "written_share": "0",
        "output_per_input": "0.25",
    }
    assert [side["model"] for side in body["models"]] == ["opal"]
    assert body["models"][0]["at_mix"]["mid"]["input_tokens"] == 4_504_504
    other = ask(credits="2500", output_per_input="0", **days).json()
    assert other["models"][0]["at_mix"]["mid"]["input_tokens"] == 13_888_888


def test_a_model_without_a_price_stands_beside_the_others(ask):
    body = ask(credits="2500", models=["testing/opal", "testing/unknown"]).json()
    assert [side["prices"] is None for side in body["models"]] == [False, True]


def test_money_needs_no_credits(ask, organization):
    (side,) = ask(money="2.5", models="testing/opal").json()["models"]
    assert side["buys"]["input_tokens"] == 5_000_000


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"credits": "1e9"}, "amount_out_of_range"),
        ({"credits": "-5"}, "amount_out_of_range"),
        ({"credits": "1", "money": "1"}, "credits_and_money"),
        ({"models": "opal"}, "bad_model"),
        ({"money": "1", "currency": "RMB"}, "unknown_currency"),
        ({"turns": "0"}, "bad_estimate"),
        ({"turns": "x"}, "bad_count"),
        ({"user_tokens": "5"}, "session_without_turns"),
        ({"cached_share": "1.5"}, "bad_estimate"),
        ({"spread": "2"}, "bad_spread"),
        ({"whole_credits": "perhaps"}, "bad_flag"),
        ({"credits": "5", "credit_kind": "shells"}, "bad_estimate"),
        ({"turn": "5"}, "unknown_parameter"),
    ],
)
def test_what_cannot_be_asked_is_a_problem(ask, params, code):
    answer = ask(**params)
    assert (answer.status_code, answer.json()["code"]) == (400, code)


def test_a_wrong_option_is_wrong_usage(command):
    with pytest.raises(CommandError) as refused:
        command("--credits", "many")
    assert refused.value.returncode == 2


def test_the_answer_has_exactly_the_fields_of_the_schema(client, ask):
    shapes = client.get("/api/schema/").json()["components"]["schemas"]
    body = ask(credits="2500", models="testing/opal", **SESSION).json()
    assert set(body) == set(shapes["Estimate"]["properties"])
    side = body["models"][0]
    assert set(side) == set(shapes["ModelEstimate"]["properties"])
    assert set(side["session_cached"]) == set(shapes["SessionCost"]["properties"])
    assert Decimal(side["prices"]["input"]) == Decimal("0.5")
