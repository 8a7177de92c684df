"""/ beside usage, change, projection, sessions and imports."""

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate

from accounting.web import formatting
from tests.web.numbers import charting
from tests.web.numbers.reading import exact
from tests.web.numbers.saying import (
    amounts,
    change,
    costs,
    count,
    failed,
    measure,
    moved,
    percent,
    ratio,
    said,
    spend_notes,
)
from tests.web.numbers.saying import whole as counted
from tests.web.numbers.seen import Seen
from tests.web.numbers.usage_charts import bucket_of, stacks


def whole(page: Seen) -> None:
    """/ with all its parts, beside usage, change, projection, sessions and imports."""
    sums = page.rest.usage(page.query)["totals"]
    month(page)
    page.told("/Median in : out", _median(page, sums), _over_all(sums))
    projects(page)
    _rest(page, sums)


def first(page: Seen) -> None:
    """/ before its parts have come."""
    sums = page.rest.usage(page.query)["totals"]
    page.told("/Median in : out", _over_all(sums))
    _rest(page, sums)


def median(page: Seen) -> None:
    """/overview/sessions/ beside sessions."""
    page.told("/Median in : out", _median(page, page.rest.usage(page.query)["totals"]))


def projects(page: Seen) -> None:
    """/overview/projects/ beside usage."""
    page.table("projects", _top(page, "project"))


def _median(page: Seen, sums: Mapping) -> list[str]:
    ratios = [row["input_output_ratio"] for row in page.rest.uncut("sessions", page.query)["rows"]]
    known = sum(one is not None for one in ratios)
    if not known:
        return []
    return said(ratio(sums["session_ratio_median"]), counted(known))


def _over_all(sums: Mapping) -> list[str]:
    return said(ratio(sums["input_output_ratio"]))


def _rest(page: Seen, sums: Mapping) -> None:
    sides = page.rest.before(page.query)
    before = sides["before"] if sides else None
    _spend_tile(page, sums, before)
    _tile(page, "Input tokens", sums, before, "input_tokens", _cached(sums))
    reasoning = [count(sums["reasoning_output_tokens"] or None)]
    _tile(page, "Output tokens", sums, before, "output_tokens", reasoning)
    hits = [measure(one, "cache_hit_rate", "") for one in (sums, before) if one]
    page.told(
        "/Cache hit rate", said(percent(sums["cache_hit_rate"])), moved(*hits) if before else []
    )
    _tile(page, "Requests", sums, before, "requests", failed(sums))
    if sums["credits"]:
        unknown = counted(sums["credits_unknown"] or None)
        page.told("/Credits", said(formatting.money(Decimal(sums["credits"])), unknown))
    last = page.rest.ask("imports")["rows"][0]
    page.told("", _sentences(sums, sides), said(counted(last["rejected"] or None)))
    page.table("models", _top(page, "model"))
    stacks(page, sides, bucket_of(page), page.asked("group", "model"), "")


def _spend_tile(page: Seen, sums: Mapping, before: Mapping | None) -> None:
    found: list[str] = []
    for currency, amount in amounts(sums["cost"], page.own):
        found.append(exact(amount, currency))
        if currency in sums["corrections"]:
            found.append(exact(sums["corrections"][currency], currency))
        if before:
            found += change(Fraction(amount), Fraction(before["cost"].get(currency, 0)))
    page.told("/Spend", found, spend_notes(sums, page.own))


def _tile(
    page: Seen, name: str, sums: Mapping, before: Mapping | None, metric: str, notes: list
) -> None:
    changed = change(sums[metric], before[metric]) if before else []
    page.told(f"/{name}", count(sums[metric]), notes, changed)


def _cached(sums: Mapping) -> list:
    if sums["cache_read_input_tokens"] is None:
        return []
    return [
        count(sums["cache_read_input_tokens"]),
        count(sums["cache_write_input_tokens"] or None),
    ]


def _sentences(sums: Mapping, sides: Mapping | None) -> list[str]:
    """Which share of each bill is input, and what moved it."""
    moves = {one["currency"]: one for one in sides["rows"]} if sides else {}
    found: list[str] = []
    for currency, amount in sums["cost"].items():
        if Decimal(amount) <= 0:
            continue
        parts = {name: Decimal(part) for name, part in sums["cost_parts"][currency].items()}
        caches = parts["cache_read"] + parts["cache_write"]
        shares = [parts["input"] + caches, *([caches] if caches else []), parts["output"]]
        found += said(*(percent(Fraction(part) / Fraction(amount)) for part in shares))
        if currency in moves:
            found += _moved(moves[currency], currency)
    return found


def _moved(move: Mapping, currency: str) -> list[str]:
    difference, before = Decimal(move["difference"]), Decimal(move["before"])
    if not before or not difference:
        return []
    effects = sorted(move["effects"].values(), key=lambda one: -abs(Decimal(one)))
    amounts = [Decimal(one) for one in effects if Decimal(one)]
    causes = [*amounts[:3], *([rest] if (rest := sum(amounts[3:])) else [])]
    signed = [("+" if one > 0 else "") + formatting.money(one) for one in causes]
    return said(formatting.money(abs(difference)), formatting.money(before), *signed)


def month(page: Seen) -> None:
    """/overview/month/ beside projection."""
    found = page.rest.ask(
        "projection", page.query, **dict.fromkeys(("range", "from", "to", "group", "sub", "bucket", "metric", "compare", "weekday"))
    )  # fmt: skip
    tile: list[str] = []
    shown = 0
    for row in found["rows"]:
        if row["expected"] is None:
            continue
        days = counted(row["history_days"])
        tile.append(exact(row["expected"], row["currency"]))
        if row["low"] is None:
            tile += said(days, 14)
        else:
            tile += [
                *said("80 %"),
                exact(row["low"], row["currency"]),
                exact(row["high"], row["currency"]),
            ]
            tile += said(days)
        _ahead(page, f"projection-{shown}", row)
        shown += 1
    page.told("/Projected month end", tile)


def _ahead(page: Seen, key: str, row: Mapping) -> None:
    """The chart of the running month: what each day came to, and where it will end."""
    days = {**dict.fromkeys(("range", "compare", "metric")), "from": row["from"], "to": row["to"]}
    spent = page.rest.usage(page.query, **days, bucket="day")["rows"]
    by_day = {one["bucket"]: Decimal(one["cost"].get(row["currency"], 0)) for one in spent}
    today = datetime.fromisoformat(row["as_of"]).date()
    first = date.fromisoformat(row["from"])
    month = [first.replace(day=n + 1).isoformat() for n in range((today - first).days + 1)]
    sums = list(accumulate(by_day.get(day, Decimal()) for day in month))
    assert sums[-1] == Decimal(row["spent"])
    reading = charting.reading_of("cost", row["currency"])
    nothing = charting.cell(None, reading)
    has_band = row["low"] is not None
    band = {"80 % band": nothing} if has_band else {}
    rows = [
        (
            formatting.day(date.fromisoformat(day)),
            {"Spent so far": charting.cell(amount, reading), "Expected": nothing, **band},
        )
        for day, amount in zip(month, sums, strict=True)
    ]
    low, high = (
        (charting.cell(Decimal(row[one]), reading).split("|") for one in ("low", "high"))
        if has_band
        else ("", "")
    )
    if has_band:
        band = {"80 % band": " – ".join((low[0], high[0])) + "|" + " – ".join((low[1], high[1]))}
    expected = charting.cell(Decimal(row["expected"]), reading)
    end = (
        f"end of {formatting.month(first)}",
        {"Spent so far": nothing, "Expected": expected, **band},
    )
    chart = page.chart(key)
    assert chart.rows == [*rows, end]
    told = [row["spent"], row["expected"], *([row["low"], row["high"]] if has_band else [])]
    assert chart.caption == said(*(reading(Decimal(one)) for one in told))
    ends = {"Spent so far": sums, "Expected": [sums[-1], row["expected"]]}
    if has_band:
        ends |= {"Low": [sums[-1], row["low"]], "High": [sums[-1], row["high"]]}
    assert {one["name"]: one["y"] for one in chart.drawing["data"]} == {
        name: [float(value) for value in values] for name, values in ends.items()
    }


def _top(page: Seen, group: str) -> list:
    metric = page.asked("metric", "cost")
    rows = page.rest.usage(page.query, group=group)["rows"]
    rows.sort(
        key=lambda row: (
            -measure(row, metric, page.own),
            -row["unpriced_tokens"],
            -row["requests"],
            row["group_label"],
        )
    )
    return [
        (
            row["group_label"] or "–",
            {
                "Spend": costs(row, page.own),
                "Input": [count(row["input_tokens"])],
                "Output": [count(row["output_tokens"])],
                "Cache hit": said(percent(row["cache_hit_rate"])),
                "Requests": said(counted(row["requests"])),
            },
        )
        for row in rows[:10]
    ]  # fmt: skip
