"""/sessions/one/ beside the session, and beside the bill of each of its rows."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from urllib.parse import quote

from accounting.web import formatting
from tests.web.numbers import charting
from tests.web.numbers.reading import exact
from tests.web.numbers.saying import (
    count,
    ratio,
    said,
    spend,
    whole,
)
from tests.web.numbers.seen import Seen
from tests.web.numbers.session_list import token_tiles


def session(page: Seen) -> None:
    """/sessions/one/ beside the session, and beside the bill of each of its rows."""
    name = quote(page.asked("id"), safe="")
    answer = page.rest.ask(f"sessions/{name}")
    sums, turns = answer["totals"], answer["rows"]
    span = datetime.fromisoformat(answer["ended_at"]) - datetime.fromisoformat(answer["started_at"])
    errors = whole(sums["errors"] or None)
    page.told("/Cost", spend(sums, page.own))
    page.told("/Requests", count(sums["requests"]), said(formatting.duration(span), errors))
    page.told("/In : out", said(ratio(sums["input_output_ratio"])))
    token_tiles(page, sums)
    bills = [page.rest.ask("explain", event=turn["event"])["rows"][0] for turn in turns]
    page.table(
        "requests", [_turn(turn, bill, page) for turn, bill in zip(turns, bills, strict=True)]
    )
    _turns_chart(page, turns)


def _turn(turn: Mapping, bill: Mapping, page: Seen) -> tuple[str, dict]:
    at = formatting.moment_s(datetime.fromisoformat(turn["occurred_at"]), page.zone)
    return at, {
        "Turn": said(turn["turn"]),
        "Input": said(whole(turn["input_tokens"])),
        "Grown": said(whole(turn["grown"])),
        "Cached": said(whole(turn["cache_read_input_tokens"])),
        "Output": said(whole(turn["output_tokens"])),
        "In : out": said(ratio(turn["input_output_ratio"])),
        "Cost": [exact(turn["cost"], turn["currency"])] if turn["cost"] is not None else [],
        "So far": [exact(turn["cost_so_far"], turn["currency"] or "")] if turn["cost_so_far"] is not None else [],
        "Priced by": [number for line in bill["lines"] for number in _priced_by(line)],
    }  # fmt: skip


def _priced_by(line: Mapping) -> Iterator[str]:
    """The formula of a title, then the price alone."""
    if line["unit_price"] is None:
        return
    price = formatting.unit_price(Decimal(line["unit_price"]))
    factor = (
        None if Decimal(line["multiplier"]) == 1 else formatting.exact(Decimal(line["multiplier"]))
    )
    if line["amount"] is not None:
        amount = formatting.exact(Decimal(line["amount"]))
        yield from said(whole(line["quantity"]), price, whole(line["per"]), factor, amount)
    yield from said(price)


def _turns_chart(page: Seen, turns: list[Mapping]) -> None:
    """The tokens of each turn by kind, and what the session has cost so far."""
    chart = page.chart("turns")
    tokens, currency = charting.reading_of("input_tokens"), _main_currency(turns)
    kinds = {
        "Cached input": [turn["cache_read_input_tokens"] for turn in turns],
        "Written to cache": [turn["cache_write_input_tokens"] for turn in turns],
        "Uncached input": [_uncached(turn) for turn in turns],
        "Output": [turn["output_tokens"] for turn in turns],
    }
    columns = {name: [charting.cell(None if one is None else Decimal(one), tokens) for one in values] for name, values in kinds.items() if any(values)}  # fmt: skip
    cost = charting.reading_of("cost", currency)
    so_far = [
        Decimal(turn["cost_so_far"])
        if turn["cost_so_far"] and turn["currency"] == currency
        else None
        for turn in turns
    ]
    if any(so_far):
        in_table = charting.in_a_column(chart, cost, "Cost so far")
        columns["Cost so far"] = [charting.cell(one, in_table) for one in so_far]
    assert [cells for _name, cells in chart.rows] == [
        dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)
    ]
    largest = max(turn["input_tokens"] or 0 for turn in turns)
    cuts = sum(turn["is_context_cut"] for turn in turns)
    end = cost([one for one in so_far if one is not None][-1]) if any(so_far) else None
    numbered = sum(turn["turn"] is not None for turn in turns)
    assert chart.caption == said(whole(numbered), formatting.tokens(largest), cuts or None, end)
    charting.drawing_is_the_table(chart)


def _main_currency(turns: list[Mapping]) -> str:
    """That of most of them."""
    found = [turn["currency"] for turn in turns if turn["currency"]]
    return max(sorted(set(found)), key=found.count, default="")


def _uncached(turn: Mapping) -> int | None:
    if turn["input_tokens"] is None:
        return None
    cached = (turn["cache_read_input_tokens"] or 0) + (turn["cache_write_input_tokens"] or 0)
    return max(0, turn["input_tokens"] - cached)
