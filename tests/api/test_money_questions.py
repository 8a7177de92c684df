"""Changes, caches, projections, prices, credit rates and quotes over REST."""

import json
from datetime import timedelta

import pytest

from accounting.models import PriceVersion
from accounting.services.pricebooks import import_table
from tests.api.asking import OCTOBER
from tests.queries.asking import at
from tests.queries.posted import NOON, posted

SEPTEMBER = at("2026-09-10T12:00Z")
MILLION = 10**6
GPT = {
    "provider": "testing",
    "model": "jade",
    "at": "2026-10-01T12:00:00Z",
    "usage": {"input_tokens": MILLION, "cache_read_input_tokens": 400_000, "output_tokens": 1_000},
}


def take(organization, **document):
    import_table(
        json.dumps({"book": {"code": "own"}, **document}).encode(), organization=organization
    )


def input_price(price, start, model="opal"):
    return {"provider": "testing", "model": model, "unit": "input", "price": price, "from": start}


def test_a_change_is_told_by_its_causes(asks, priced):
    posted(priced, {"input_tokens": MILLION, "output_tokens": 0}, at=SEPTEMBER)
    posted(priced, *[{"input_tokens": MILLION, "output_tokens": 0}] * 2, at=NOON)
    body = asks.october("change")
    assert (body["compared_from"], body["compared_to"]) == ("2026-09-01", "2026-10-01")
    assert (body["before"]["requests"], body["after"]["requests"]) == (1, 2)
    assert body["rows"] == [
        {
            "currency": "USD",
            "before": "0.5",
            "after": "1",
            "difference": "0.5",
            "effects": {
                "volume": "0.5", "mix": "0", "length": "0", "cache": "0", "price": "0", "other": "0",
            },
            "corrections_before": "0",
            "corrections_after": "0",
        }
    ]  # fmt: skip
    assert asks.october("change", currency="EUR")["rows"] == []


def test_a_change_needs_something_to_compare_with(asks):
    answer = asks("change", compare="none")
    assert (answer.status_code, answer.json()["code"]) == (400, "nothing_compared")


def test_a_cache_is_told_in_money(asks, priced):
    counts = {"cache_read_input_tokens": 600_000, "cache_write_input_tokens": 200_000}
    posted(priced, {"response_model": "jade", "input_tokens": MILLION, **counts})
    body = asks.october("cache")
    (row,) = body["rows"]
    assert (row.pop("group"), row.pop("group_label")) == ("jade", "jade")
    assert row == body["totals"]
    assert row == {
        "cache_hit_rate": "0.6",
        "coverage": "1",
        "costs": {
            "USD": {
                "read_tokens": 600_000,
                "read_at_input": "1.8",
                "read_paid": "0.18",
                "saved": "1.62",
                "written_tokens": 200_000,
                "written_at_input": "0.6",
                "written_paid": "0.75",
                "write_premium": "0.15",
                "net": "1.47",
                "reads_per_write": "3",
                "break_even": "0.277778",
                "unpriced_tokens": 0,
            }
        },
    }


def test_a_cache_says_what_moved_it_where_another_range_is_compared(asks, priced):
    for day, read in ((-1, 600), (0, 300)):
        told = {"response_model": "jade", "input_tokens": 1_000, "cache_read_input_tokens": read}
        posted(priced, told, at=NOON + timedelta(days=day))
    day = {"from": NOON.date(), "to": NOON.date() + timedelta(days=1)}
    assert asks("cache", **day).json()["moves"] is None
    assert asks("cache", **day, compare="none").json()["moves"] is None
    move = {"before": "0.6", "after": "0.3", "own": "-0.3", "weight": "0", "whole": "-0.3"}
    assert asks("cache", **day, compare="prev").json()["moves"] == {
        "compared_from": (NOON.date() - timedelta(days=1)).isoformat(),
        "compared_to": NOON.date().isoformat(),
        "before": "0.6",
        "after": "0.3",
        "groups": [{"group": "jade", "group_label": "jade", **move}],
    }


def test_groups_of_a_cache_come_in_pages_with_the_whole_on_each(asks, priced):
    rows = [
        {"response_model": model, "input_tokens": 100, "cache_read_input_tokens": read}
        for model, read in (("opal", 50), ("jade", 100), ("ruby", 0))
    ]
    posted(priced, *rows)
    pages = asks.pages("cache", limit=1, **OCTOBER)
    assert [row["group"] for page in pages for row in page["rows"]] == ["jade", "opal", "ruby"]
    assert {page["totals"]["cache_hit_rate"] for page in pages} == {"0.5"}


@pytest.mark.parametrize(
    ("params", "row"),
    [
        ({}, {"metric": "cost", "currency": "USD", "spent": "20", "expected": "310"}),
        ({"currency": "USD"}, {"metric": "cost", "spent": "20", "expected": "310"}),
        ({"unit": "credits"}, {"metric": "credits", "currency": "credit", "expected": "310000"}),
        ({"period": "quarter"}, {"from": "2026-10-01", "to": "2027-01-01", "expected": "920"}),
        ({"model": "ruby"}, {"spent": "0", "expected": None, "reason": "not_enough_data"}),
    ],
)
def test_a_projection_as_of_a_day_knows_nothing_of_that_day(asks, priced, params, row):
    for day in range(3):
        sent = {"input_tokens": 20 * MILLION, "output_tokens": 0}
        posted(priced, sent, at=NOON + timedelta(days=day))
    (told,) = asks("projection", as_of="2026-10-03", **params).json()["rows"]
    assert {name: told[name] for name in row} == row
    assert told["as_of"] == "2026-10-03T00:00:00+05:30"


def test_a_projection_is_of_one_currency_where_one_is_asked_for(asks, priced):
    assert asks("projection", currency="EUR", as_of="2026-10-03").json()["rows"] == []


def test_prices_are_told_by_the_names_that_a_price_file_has(asks, priced):
    rows = asks("prices", book="own", model="opal", provider="testing").json()["rows"]
    assert [(row["unit"], row["price"]) for row in rows] == [
        ("input", "0.5"),
        ("input.cache_read", "0.1"),
        ("output", "0.075"),
    ]
    assert rows[0].pop("rate_id")
    assert rows[0] == {
        "book": "own",
        "currency": "USD",
        "provider": "testing",
        "model": "opal",
        "unit": "input",
        "price": "0.5",
        "per": MILLION,
        "from": "2020-01-01T05:30:00+05:30",
        "to": None,
        "input_gt": None,
        "tier_mode": None,
        "tiers": None,
        "service_tier": None,
        "processing": None,
        "region": None,
        "speed": None,
        "route": None,
        "window": None,
        "priority": 0,
        "source": None,
        "note": None,
        "price_version": 1,
    }


def test_pages_of_prices_hold_every_rate_once_in_one_order(asks, priced):
    whole = asks("prices", limit=1_000).json()["rows"]
    paged = [row for page in asks.pages("prices", limit=2) for row in page["rows"]]
    assert paged == whole
    assert len({row["rate_id"] for row in whole}) == len(whole) == 7
    assert [row["model"] for row in whole] == ["jade"] * 4 + ["opal"] * 3


def test_prices_hold_at_a_moment_and_as_a_version_knew_them(asks, priced):
    take(priced, rates=[input_price("1", "2026-11-01")])
    first, second = PriceVersion.objects.order_by("pk").values_list("pk", flat=True)

    def told(**params):
        answer = asks("prices", model="opal", fields="unit,price,to", **params).json()
        return [(row["price"], row["to"]) for row in answer["rows"] if row["unit"] == "input"]

    october, december = "2026-10-01T00:00:00Z", "2026-12-01T00:00:00Z"
    assert told(at=december) == [("1", None)]
    assert told(at=october) == [("0.5", "2026-11-01T00:00:00+05:30")]
    # The first version knew nothing of the end that the second one set.
    assert told(at=december, as_of=first) == [("0.5", None)]
    assert told(at=december, as_of=second) == [("1", None)]


def test_as_of_a_day_is_its_last_version(asks, priced):
    PriceVersion.objects.update(recorded_at=at("2026-03-10T20:00Z"))  # the 11th in Kolkata
    assert asks("prices", as_of="2026-03-10").json()["rows"] == []
    body = asks("prices", as_of="2026-03-11").json()
    assert (len(body["rows"]), body["price_version"]) == (7, PriceVersion.objects.get().pk)


@pytest.mark.parametrize(
    ("params", "code", "parameter"),
    [
        ({"as_of": "0"}, "bad_as_of", "as_of"),
        ({"as_of": "999999999999999"}, "bad_as_of", "as_of"),
        ({"as_of": "yesterday"}, "bad_as_of", "as_of"),
        ({"as_of": "2026-02-30"}, "bad_as_of", "as_of"),
        ({"as_of": "2150-01-01"}, "bad_as_of", "as_of"),
        ({"at": "2026-10-01"}, "bad_time", "at"),
        ({"at": "2026-10-01T00:00:00"}, "bad_time", "at"),
        ({"at": "1999-10-01T00:00:00Z"}, "bad_time", "at"),
        ({"currency": "XYZ"}, "unknown_currency", "currency"),
        ({"model": "a\0"}, "bad_value", "model"),
        ({"tz": "Mars/Olympus"}, "unknown_zone", "tz"),
    ],
)
def test_what_cannot_be_right_about_prices_is_named(asks, params, code, parameter):
    answer = asks("prices", **params)
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert answer.json()["parameter"] == parameter


@pytest.mark.parametrize(
    "path",
    ["usage", "sessions", "requests", "cache", "change", "dimensions", "explain", "estimate"],
)
def test_former_sums_are_refused_with_what_can_be_asked_instead(asks, path):
    answer = asks(path, as_of="2026-10-01")
    assert (answer.status_code, answer.json()["code"]) == (400, "as_of_not_kept")
    assert "prices, credit-rates, quote and projection take as_of" in answer.json()["detail"]


def test_credit_rates_are_told_with_their_dates(asks, priced):
    rate = {"kind": "credit", "currency": "USD", "price": "0.002", "from": "2026-11-01"}
    take(priced, rates=[], credit_rates=[rate])
    pages = asks.pages("credit-rates", limit=1)
    rows = [row for page in pages for row in page["rows"]]
    assert [(row["price"], row["from"], row["to"]) for row in rows] == [
        ("0.001", "2020-01-01T05:30:00+05:30", "2026-11-01T00:00:00+05:30"),
        ("0.002", "2026-11-01T00:00:00+05:30", None),
    ]
    first = PriceVersion.objects.order_by("pk").first().pk
    (row,) = asks("credit-rates", as_of=first).json()["rows"]
    assert row.pop("rate_id")
    assert row == {
        "kind": "credit",
        "currency": "USD",
        "price": "0.001",
        "from": "2020-01-01T05:30:00+05:30",
        "to": None,
        "price_version": first,
    }
    assert asks("credit-rates", currency="EUR").json()["rows"] == []


def test_a_quote_is_what_the_command_prints(asks, priced):
    body = asks.post("quote", GPT).json()
    assert [line.pop("rate_id") > 0 for line in body["lines"]] == [True] * 3
    assert body == {
        "cost": "1.935",
        "currency": "USD",
        "credits": "1935",
        "state": "priced",
        "price_version": 1,
        "lines": [
            {
                "unit": "input",
                "quantity": 600_000,
                "unit_price": "3",
                "per": MILLION,
                "amount": "1.8",
            },
            {
                "unit": "input.cache_read",
                "quantity": 400_000,
                "unit_price": "0.3",
                "per": MILLION,
                "amount": "0.12",
            },
            {
                "unit": "output",
                "quantity": 1_000,
                "unit_price": "15",
                "per": MILLION,
                "amount": "0.015",
            },
        ],
    }


def test_a_quote_as_a_version_knew_the_prices(asks, priced):
    take(priced, rates=[input_price("30", "2026-09-01", model="jade")])
    first = PriceVersion.objects.order_by("pk").first().pk
    assert asks.post("quote", GPT).json()["cost"] == "18.135"
    assert asks.post("quote", GPT, f"?as_of={first}").json()["cost"] == "1.935"


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("[]", "bad_question"),
        ("{", "bad_body"),
        ("[" * 100_000, "bad_body"),
        ('{"model": "m", "usage": {"input_tokens": NaN}}', "bad_body"),
        ("{}", "bad_question"),
        ({**GPT, "colour": "red"}, "bad_question"),
        ({**GPT, "at": "now"}, "bad_time"),
        ({**GPT, "usage": {"input_tokens": -1}}, "bad_count"),
        ({**GPT, "usage": {"input_tokens": 1.5}}, "bad_count"),
        ({**GPT, "usage": {"input_tokens": 10**30}}, "bad_count"),
        ({**GPT, "usage": {"input_tokens": 1, "cache_read_input_tokens": 2}}, "bad_count"),
        ({**GPT, "book": "nobody's"}, "unknown_book"),
        ({**GPT, "model": "a\0"}, "bad_body"),
    ],
)
def test_a_bad_question_is_a_problem(asks, question, code):
    answer = asks.post("quote", question)
    assert (answer.status_code, answer.json()["code"]) == (400, code)


@pytest.mark.parametrize("period", ["week", "Month", "month "])
def test_an_unknown_period_is_refused(asks, period):
    answer = asks("projection", period=period)
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_period")


@pytest.mark.parametrize("name", ["range", "from", "group", "bucket", "compare"])
def test_a_projection_has_no_range(asks, name):
    answer = asks("projection", **{name: "x"})
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_parameter")
    assert answer.json()["parameter"] == name
