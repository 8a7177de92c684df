"""manage.py quote and manage.py prices."""

import io
import json
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounting.management.commands.quote import EPILOG, EXAMPLE
from tests.prices.conftest import BRIEF

BASE = {
    "provider": "testing",
    "model": "opal",
    "at": "2026-03-10T12:00:00+00:00",
    "usage": {
        "input_tokens": 1_000_000,
        "cache_read_input_tokens": 800_000,
        "output_tokens": 200_000,
    },
}


@pytest.fixture
def quote(organization, monkeypatch, capsys):
    """Runs the command with questions, or lines of text; the answers and the exit code."""

    def run(*questions):
        lines = [line if isinstance(line, str) else json.dumps(line) for line in questions]
        text = "".join(f"{line}\n" for line in lines).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        code = 0
        try:
            call_command("quote", organization="acme")
        except CommandError as error:
            code = error.returncode
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()], code

    return run


@pytest.fixture
def prices(organization, capsys):
    """Runs `prices` with arguments and --json; its objects."""

    def run(*arguments):
        call_command("prices", *arguments, "--organization", "acme", "--json")
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run


def test_a_quote_shows_every_line_to_the_digit(take, quote):
    take(BRIEF)
    (told,), code = quote(BASE)
    ids = [line.pop("rate_id") for line in told["lines"]]
    assert code == 0
    assert all(ids)
    assert told == {
        "cost": "0.48",
        "currency": "CNY",
        "credits": "480",
        "state": "priced",
        "lines": [
            {
                "unit": "input",
                "quantity": 200_000,
                "unit_price": "0.5",
                "per": 1_000_000,
                "amount": "0.1",
            },
            {
                "unit": "input.cache_read",
                "quantity": 800_000,
                "unit_price": "0.1",
                "per": 1_000_000,
                "amount": "0.08",
            },
            {
                "unit": "output",
                "quantity": 200_000,
                "unit_price": "1.5",
                "per": 1_000_000,
                "amount": "0.3",
            },
        ],
    }


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", "bad_question"),
        ("", "bad_question"),
        ("[]", "bad_question"),
        ('{"model": NaN}', "bad_question"),
        (BASE | {"model": ""}, "bad_question"),
        (BASE | {"models": "x"}, "bad_question"),
        (BASE | {"usage": None}, "bad_question"),
        (BASE | {"context": {"tier": "flex"}}, "bad_question"),
        (BASE | {"at": ""}, "bad_time"),
        (BASE | {"at": "2026-03-10T12:00:00"}, "bad_time"),
        (BASE | {"at": "2126-03-10T12:00:00Z"}, "bad_time"),
        (BASE | {"at": "yesterday"}, "bad_time"),
        (BASE | {"usage": {"input_tokens": -1}}, "bad_count"),
        (BASE | {"usage": {"input_tokens": 1.5}}, "bad_count"),
        (BASE | {"usage": {"input_tokens": True}}, "bad_count"),
        (BASE | {"usage": {"input_tokens": "5"}}, "bad_count"),
        (BASE | {"usage": {"input_tokens": 10**12}}, "bad_count"),
        (BASE | {"usage": {"input_tokens": 1, "cache_read_input_tokens": 2}}, "bad_count"),
        (BASE | {"usage": {"output_tokens": 1, "reasoning_output_tokens": 2}}, "bad_count"),
        (BASE | {"book": "nowhere"}, "unknown_book"),
    ],
)
def test_a_bad_line_is_answered_in_its_place_and_the_others_go_on(take, quote, line, code):
    take(BRIEF)
    told, exit_code = quote(BASE, line, BASE)
    assert exit_code == 1
    assert [answer.get("cost") for answer in told] == ["0.48", None, "0.48"]
    assert told[1]["error"]["code"] == code


def test_usage_nobody_knows_is_an_unpriced_line(take, quote):
    take(BRIEF)
    (told,), _ = quote(BASE | {"usage": {"input_tokens": 2, "widgets": 3, "gadgets": 0}})
    assert (told["state"], told["cost"]) == ("partial", "0.000001")
    assert told["lines"][-1] == {
        "unit": "widgets",
        "quantity": 3,
        "unit_price": None,
        "per": None,
        "amount": None,
        "rate_id": None,
    }


def test_a_model_without_price_costs_nobody_knows_what(quote):
    (told,), code = quote(BASE)
    assert code == 0
    assert (told["state"], told["cost"], told["currency"], told["credits"]) == (
        "unpriced",
        None,
        None,
        None,
    )


def test_a_named_book_is_asked_alone(take, quote):
    take(BRIEF)
    deal = {"code": "deal", "currency": "CNY", "parent": "brief", "kind": "contract"}
    rate = {**BRIEF["rates"][0], "price": "0.4"}
    take({"book": deal, "rates": [rate]})
    told, _ = quote(BASE, BASE | {"book": "brief"}, BASE | {"book": "deal"})
    assert [answer["cost"] for answer in told] == ["0.46", "0.48", "0.46"]


def test_a_table_is_imported_listed_and_taken_in_again(prices, tmp_path):
    path = tmp_path / "brief.json"
    path.write_text(json.dumps(BRIEF))
    (first,), (second,) = prices("import", str(path)), prices("import", str(path))
    assert (first["version"], first["rates"]["added"], second["version"]) == (1, 3, None)
    assert [(row["unit"], row["price"], row["from"]) for row in prices("list")] == [
        ("input", "0.5", "2025-12-31T16:00:00+00:00"),
        ("input.cache_read", "0.1", "2025-12-31T16:00:00+00:00"),
        ("output", "1.5", "2025-12-31T16:00:00+00:00"),
    ]
    assert prices("list", "--at", "2025-06-01T00:00:00Z") == []
    assert prices("missing") == []


@pytest.mark.parametrize(
    ("content", "code"), [(b"{", 1), (b'{"rates": [{"unit": "input"}]}', 1), (None, 2)]
)
def test_a_table_that_cannot_be_taken_in_is_refused_whole(prices, tmp_path, content, code):
    path = tmp_path / "table.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CommandError) as refused:
        prices("import", str(path))
    assert refused.value.returncode == code
    assert prices("list") == []


def test_the_example_of_the_readme_and_of_the_help_is_one_that_works(take, quote):
    prices = (("input", "2.5"), ("input.cache_read", "1.25"), ("output", "10"))
    rate = {"provider": "openai", "model": "gpt-4o", "from": "2026-01-01"}
    rates = [rate | {"unit": unit, "price": price} for unit, price in prices]
    take({"book": {"code": "own", "currency": "USD"}, "rates": rates})
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    assert f"echo '{EXAMPLE}' | ./manage.py quote" in readme
    assert EXAMPLE in EPILOG
    (told,), code = quote(EXAMPLE)
    assert (told["state"], told["cost"], told["currency"], code) == ("priced", "0.004", "USD", 0)
    assert [(line["unit"], line["quantity"]) for line in told["lines"]] == [
        ("input", 600),
        ("input.cache_read", 400),
        ("output", 200),
    ]


def test_json_is_what_a_quote_is_anyway(organization, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(EXAMPLE.encode())))
    call_command("quote", "--json", organization="acme")
    assert json.loads(capsys.readouterr().out)["state"] == "unpriced"
