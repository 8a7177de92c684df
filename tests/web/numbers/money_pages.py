"""Pages of money: months, prices and what they were, estimates, benchmarks."""

import json
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from io import StringIO

from django.core.management import call_command

from accounting.web import formatting
from tests.web.numbers.reading import exact
from tests.web.numbers.saying import amounts, costs, count, percent, said, whole
from tests.web.numbers.seen import Seen

#: The columns of prices per million, and the units that stand in them.
COLUMNS = {
    "input": "Input",
    "input.cache_read": "Cached input",
    "input.cache_write": "Cache write",
    "input.cache_write.5m": "Write, 5 min",
    "input.cache_write.1h": "Write, 1 h",
    "output": "Output",
    "output.reasoning": "Reasoning",
}
CONDITIONS = ("service_tier", "processing", "region", "speed", "route")


def months(page: Seen) -> None:
    """/months/ beside the usage of all months."""
    rows = page.rest.usage("range=all", bucket="month")["rows"]
    page.table("list", [_month(row, page.own) for row in rows])


def _month(row: Mapping, own: str) -> tuple[str, dict]:
    corrected = [one for one, _amount in amounts(row["cost"], own) if one in row["corrections"]]
    return formatting.month(date.fromisoformat(row["bucket"])), {
        "Spend": costs(row, own),
        "Corrections in it": [exact(row["corrections"][one], one) for one in corrected],
        "Requests": said(whole(row["requests"])),
        "Input": [count(row["input_tokens"])],
        "Output": [count(row["output_tokens"])],
    }


def prices(page: Seen) -> None:
    """/prices/?search=… beside the prices in force, credit rates, and usage without a price."""
    page.table("missing", [_missing(row) for row in _unpriced(page)])
    rates = page.rest.ask("credit-rates")["rows"]
    newest = max(rates, key=lambda rate: rate["from"])
    page.told("credits", said(1, formatting.unit_price(Decimal(newest["price"]))))
    page.table("credits", [_credit(rate, page) for rate in rates])
    _exchange(page)
    listed = page.rest.ask("prices", **{"model~": page.asked("search")}, limit=1000)["rows"]
    lines: dict[tuple, list] = {}
    for rate in listed:
        conditions = tuple(rate[name] for name in (*CONDITIONS, "input_gt", "window"))
        lines.setdefault((rate["book"], rate["provider"], rate["model"], conditions), []).append(
            rate
        )
    page.table("in-force", [_line(rates) for rates in lines.values()])


def _credit(rate: Mapping, page: Seen) -> tuple[str, dict]:
    start = datetime.fromisoformat(rate["from"]).astimezone(page.zone).date()
    return formatting.day(start), {
        "One credit": said(formatting.unit_price(Decimal(rate["price"])))
    }


def _unpriced(page: Seen) -> list[Mapping]:
    """Models of any purpose that were used without a price."""
    rows = [
        {**row, "is_benchmark": purpose == "benchmark"}
        for purpose in ("usage", "benchmark")
        for row in page.rest.usage(f"range=all&purpose={purpose}", group="provider", sub="model")[
            "rows"
        ]
    ]
    return [row for row in rows if row["unpriced_requests"] or row["unpriced_tokens"]]


def _exchange(page: Seen) -> None:
    """REST converts by exchange rates but does not list them: the command does."""
    out = StringIO()
    call_command("fx", "list", "--json", "--organization", "sample", stdout=out)
    rates = [json.loads(line) for line in out.getvalue().splitlines()]
    told = [formatting.unit_price(Decimal(rate["rate"])) for rate in rates[:3]]
    page.told("exchange", said(*(one for text in told for one in (1, text))))
    page.table("exchange", [_rate(rate) for rate in rates])


def _rate(rate: Mapping) -> tuple[str, dict]:
    text = f"1 {rate['from_currency']} = {formatting.exact(Decimal(rate['rate']))} {rate['to_currency']}"
    return text, {}


def _missing(row: Mapping) -> tuple[str, dict]:
    return row["sub_label"] or "–", {
        "Requests": said(*[whole(row["unpriced_requests"])] * (2 if row["is_benchmark"] else 1)),
        "Tokens": [count(row["unpriced_tokens"])],
    }


def _line(rates: list[Mapping]) -> tuple[str, dict]:
    cells: dict[str, list[str]] = {}
    for rate in rates:
        price = Decimal(rate["price"])
        if rate["unit"] in COLUMNS:
            per_million = price * (1_000_000 // rate["per"])
            cells[COLUMNS[rate["unit"]]] = said(formatting.unit_price(per_million))
        else:
            cells.setdefault("Other", []).extend(
                said(formatting.unit_price(price), whole(rate["per"]))
            )
    above = rates[0]["input_gt"]
    cells["Only where"] = said(f"> {above:,}" if above else None)
    return rates[0]["model"], cells


def history(page: Seen) -> None:
    """/prices/history/ beside what each price version knew of each moment."""
    about = {"provider": page.asked("provider"), "model": page.asked("model")}
    newest = page.rest.ask("prices", **about)["price_version"]
    found: dict[int, Mapping] = {}
    corrected: dict[int, int] = {}
    for version in range(1, newest + 1):
        rows = page.rest.ask("prices", **about, as_of=version, at=page.asked("at"))["rows"]
        now = {row["rate_id"]: row for row in rows}
        corrected |= dict.fromkeys(found.keys() - now.keys() - corrected.keys(), version)
        found |= now
    page.table("all", [_past(row, corrected.get(rate_id)) for rate_id, row in found.items()])


def _past(row: Mapping, corrected_by: int | None) -> tuple[str, dict]:
    price = formatting.unit_price(Decimal(row["price"]))
    above = f"> {row['input_gt']:,}" if row["input_gt"] else None
    return row["unit"], {
        "": said(above),
        "Price": said(price, whole(row["per"])),
        "State": said(corrected_by),
    }


def estimate(page: Seen) -> None:
    """/estimate/ beside the estimate."""
    found = page.rest.ask("estimate", page.query)
    example = found["example"]
    listed = [
        example["credit_price"],
        *(example["prices"][one] for one in ("input", "cached", "output")),
    ]
    told = [formatting.unit_price(Decimal(one)) for one in listed]
    page.told("example", said(whole(example["credits"]), 1, *told))
    for title, name in (
        ("input", "input_tokens"),
        ("cached input", "cached_tokens"),
        ("output", "output_tokens"),
    ):
        page.told(f"example/{title} alone", said(whole(example["buys"][name])))
    budget, mix = found["budget"], found["mix"]
    amount = formatting.exact(Decimal(budget["amount"])) if budget else None
    page.told(
        "models",
        said(
            amount,
            percent(mix["cached_share"]),
            formatting.exact(Decimal(mix["output_per_input"])),
            found["price_version"],
        ),
    )
    page.told("", said(whole(found["observed"]["requests"])))
    page.table(
        "models",
        [_side(side, bool(budget), "input_tokens=" in page.query) for side in found["models"]],
    )
    if "turns=" in page.query:
        page.table(
            "session",
            [_session(side, bool(budget)) for side in found["models"] if side["session_uncached"]],
        )


def _side(side: Mapping, has_budget: bool, has_tokens: bool) -> tuple[str, dict]:
    if side["prices"] is None:
        return side["model"], {}
    cells = {"Per million, at the mix": [exact(side["blended_price"], side["currency"])]}
    if has_budget and side["buys"]:
        buys, mix = side["buys"], side["at_mix"]
        cells |= {
            "Input alone": [count(buys["input_tokens"])],
            "Cached alone": [count(buys["cached_tokens"])],
            "Output alone": [count(buys["output_tokens"])],
            "At the mix": [count(mix["mid"][one]) for one in ("input_tokens", "output_tokens")]
            if mix["mid"]
            else [],
            "Low – high": [count(mix[one]["input_tokens"]) for one in ("low", "high")]
            if mix["low"] and mix["high"]
            else [],
        }
    if has_tokens:
        credits = (
            [] if side["credits"] is None else said(formatting.money(Decimal(side["credits"])))
        )
        cells["Cost of the tokens"] = [exact(side["cost"], side["currency"]), *credits]
    return side["model"], cells


def _session(side: Mapping, has_budget: bool) -> tuple[str, dict]:
    plain, cached = side["session_uncached"], side["session_cached"]
    cells = {
        "Input": said(whole(plain["input_tokens"]), whole(cached["cached_tokens"])),
        "Output": said(whole(plain["output_tokens"])),
        "Nothing cached": _cost(plain, side["currency"]),
        "History cached": _cost(cached, side["currency"]),
    }
    if has_budget and plain["sessions"] is not None:
        # Where nothing of the history is cheaper in the cache, both are the same number, told once.
        told = dict.fromkeys((plain["sessions"], cached["sessions"]))
        cells["Sessions"] = said(*map(whole, told))
    return side["model"], cells


def _cost(session: Mapping, currency: str) -> list[str]:
    credits = session["credits"]
    told = [] if credits is None else said(formatting.money(Decimal(credits)))
    return [exact(session["cost"], currency), *told]
