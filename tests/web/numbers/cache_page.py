"""/cache/ beside cache, usage and the comparison of its groups."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from accounting.web import formatting
from tests.web.numbers.reading import exact
from tests.web.numbers.saying import measure, moved, percent, said
from tests.web.numbers.seen import Seen
from tests.web.numbers.usage_charts import ratio_chart


def cache(page: Seen) -> None:
    """The rate, what it saved, and what moved it."""
    group = page.asked("group", "model")
    answer = page.rest.uncut("cache", page.query, group=group)
    whole = answer["totals"]
    sides = page.rest.before(page.query)
    hits = (
        [measure(sides[one], "cache_hit_rate", "") for one in ("after", "before")] if sides else []
    )
    page.told(
        "/Cache hit rate, by tokens",
        said(percent(whole["cache_hit_rate"])),
        moved(*hits) if sides else [],
        said(percent(whole["coverage"])),
    )
    priced = {currency: cost for currency, cost in whole["costs"].items() if currency}
    for name, amount, tokens in (
        ("Saved by reading", "saved", "read_tokens"),
        ("Paid more for writing", "write_premium", "written_tokens"),
        ("Saved in the end", "net", ""),
    ):
        page.told(
            f"/{name}",
            [
                number
                for currency, cost in priced.items()
                for number in (
                    exact(cost[amount], currency),
                    *([exact(cost[tokens])] if tokens else []),
                )
            ],
        )
    page.told("/Reads of a written token", [n for cost in priced.values() for n in _reads(cost)])
    unpriced = [cost["unpriced_tokens"] for cost in whole["costs"].values()]
    page.told("/Not priced", [exact(tokens) for tokens in unpriced if tokens])
    page.table("savings", [(row["group_label"] or "–", _savings(row)) for row in answer["rows"]])
    _moves(page, group)
    rows = page.rest.usage(page.query, group=group)["rows"]
    rows.sort(key=lambda row: (-(row["input_tokens"] or 0), -row["unpriced_tokens"], -row["requests"], row["group_label"]))  # fmt: skip
    ratio_chart(
        page,
        [row["group_label"] or "not named" for row in rows],
        {"group": group},
        "cache_hit_rate",
    )


def _reads(cost: Mapping) -> list[str]:
    reads, even = cost["reads_per_write"], cost["break_even"]
    return said(*(formatting.times(Decimal(one)) for one in (reads, even) if one is not None))


def _savings(row: Mapping) -> dict:
    priced = {currency: cost for currency, cost in row["costs"].items() if currency}
    unpriced = [cost["unpriced_tokens"] for cost in row["costs"].values()]
    return {
        "": [exact(tokens) for tokens in unpriced if tokens],
        "Cache hit": said(percent(row["cache_hit_rate"])),
        "Told of": said(percent(row["coverage"])),
        "Saved by reading": [exact(cost["saved"], one) for one, cost in priced.items()],
        "Paid more for writing": [
            exact(cost["write_premium"], one) for one, cost in priced.items()
        ],
        "In the end": [exact(cost["net"], one) for one, cost in priced.items()],
        "Reads of a written token": [n for cost in row["costs"].values() for n in _reads(cost)],
    }


def _moves(page: Seen, group: str) -> None:
    """What moved the rate, group by group."""
    compare = page.asked("compare", "prev")
    asked = {"group": group, "compare": compare, **dict.fromkeys(("sub", "bucket", "metric"))}
    moves = page.rest.ask("cache", page.query, **asked)["moves"]
    if moves and moves["groups"]:
        page.told("moved", said(percent(moves["before"]), percent(moves["after"])))
        page.table("moved", [(row["group_label"] or "–", _move(row)) for row in moves["groups"]])


def _move(row: Mapping) -> dict:
    points = {name: Fraction(row[name]) for name in ("own", "weight", "whole")}
    signed = {
        name: ("+" if value > 0 else "") + formatting.points(value)
        for name, value in points.items()
    }
    return {
        "Before": said(percent(row["before"])),
        "Now": said(percent(row["after"])),
        "Its own rate": said(signed["own"]),
        "Its weight": said(signed["weight"]),
        "Together": said(signed["whole"]),
    }
