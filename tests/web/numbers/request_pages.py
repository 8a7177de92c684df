"""Requests: the list beside requests, and one beside its explanation."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from django.http import QueryDict

from accounting.web import formatting
from tests.web.numbers.reading import exact
from tests.web.numbers.saying import (
    count,
    failed,
    ratio,
    said,
    spend,
    whole,
)
from tests.web.numbers.seen import Seen
from tests.web.numbers.session_list import token_tiles

#: Rows of the page.
PAGE_ROWS = 100


def requests(page: Seen) -> None:
    """/requests/ beside requests."""
    answer = page.rest.uncut("requests", page.query, limit=1000)
    sums = answer["totals"]
    page.told("/Requests", count(sums["requests"]), failed(sums))
    page.told("/Cost", spend(sums, page.own))
    page.told("/In : out", said(ratio(sums["input_output_ratio"])))
    token_tiles(page, sums)
    page.table("rows", [_request(row, page) for row in answer["rows"][:PAGE_ROWS]])


def _request(row: Mapping, page: Seen) -> tuple[str, dict]:
    at = formatting.moment_s(datetime.fromisoformat(row["occurred_at"]), page.zone)
    line = [row["line"]] if row["line"] else []
    return at, {
        "Input": said(whole(row["input_tokens"])),
        "Cached": said(whole(row["cache_read_input_tokens"])),
        "Output": said(whole(row["output_tokens"])),
        "Cost": [exact(row["cost"], row["currency"])] if row["cost"] is not None else [],
        # Once in the title of the link, once behind it.
        "Told by": said(*line, *line),
    }


def request(page: Seen) -> None:
    """/requests/KEY/ beside its explanation."""
    key = QueryDict(page.query)["key"]
    found = page.rest.ask("explain", event=key)["rows"][0]
    currency = found["currency"] or ""
    cost = [exact(found["cost"], currency)] if found["cost"] is not None else []
    if found["cost_base"] is not None and currency != page.own:
        cost.append(exact(found["cost_base"], page.own))
    page.told("/Cost", cost)
    if found["credits"] is not None:
        page.told("/Credits", said(formatting.money(Decimal(found["credits"]))))
    cached = said(whole(found["cache_read_input_tokens"]), whole(found["cache_write_input_tokens"]))
    page.told("/Input tokens", count(found["input_tokens"]), cached)
    reasoning = said(whole(found["reasoning_output_tokens"] or None))
    page.told("/Output tokens", count(found["output_tokens"]), reasoning)
    page.told("bill", said(found["price_version"]))
    page.table("bill", [_bill_line(line) for line in found["lines"]])
    page.table("converted", [_conversion(one) for one in found["conversions"]])
    page.table("revised", [_revision(one) for one in found["revisions"]])
    _origin(page, found)


def _bill_line(line: Mapping) -> tuple[str, dict]:
    price, multiplier = line["unit_price"], Decimal(line["multiplier"])
    factor = None if multiplier == 1 else formatting.exact(multiplier)
    told = (
        [] if price is None else [formatting.unit_price(Decimal(price)), whole(line["per"]), factor]
    )
    amount = None if line["amount"] is None else formatting.exact(Decimal(line["amount"]))
    return line["unit"], {
        "Quantity": said(whole(line["quantity"])),
        "Price": said(*told),
        "Amount": said(amount),
        "Price row": said(*(line["rate"]["why"][1:-1] if line["rate"] else [])),
    }


def _conversion(one: Mapping) -> tuple[str, dict]:
    name = "credit rate" if one["purpose"] == "credit" else "exchange rate"
    return name, {"": said(1, formatting.exact(Decimal(one["rate"])))}


def _revision(one: Mapping) -> tuple[str, dict]:
    sides = [(one[f"{side}_cost"], one[f"{side}_currency"]) for side in ("old", "new")]
    return f"Repricing {one['run']}", {"": [exact(*side) for side in sides if side[0] is not None]}


def _origin(page: Seen, found: Mapping) -> None:
    """Line and byte of the file, and what its source says it cost."""
    rows = [("Import", {})]
    offset = found["byte_offset"]
    rows.append(("File and line", {"": said(whole(found["line"] or 0), whole(offset))}))
    if found["response_id"]:
        rows.append(("Response id", {}))
    rows.append(("Written model", {}))
    one = page.rest.ask("requests", range="all", session=found["session_id"], limit=1000)
    reported = next(row for row in one["rows"] if row["event"] == found["event"])
    if reported["reported_cost"] is not None:
        told = [exact(reported["reported_cost"], reported["reported_currency"])]
        rows.append(("Cost the source reported", {"": told}))
    page.table("origin", rows)
