"""/explore/ beside usage, cut as the page is."""

from collections.abc import Mapping

from tests.web.numbers import charting
from tests.web.numbers.saying import (
    RATIOS,
    SHARES,
    costs,
    count,
    measure,
    metric_change,
    percent,
    ratio,
    said,
    whole,
)
from tests.web.numbers.seen import Seen
from tests.web.numbers.usage_charts import bucket_of, ratio_chart, stacks


def explore(page: Seen) -> None:
    """/explore/ beside usage, cut as the page is."""
    metric, group, sub = (
        page.asked("metric", "cost"),
        page.asked("group", "model"),
        page.asked("sub"),
    )
    cut = {"group": group, **({"sub": sub} if sub else {})}
    answer, sides = page.rest.usage(page.query, **cut), page.rest.before(page.query)
    sums, before = answer["totals"], sides["before"] if sides else None
    changed = metric_change(metric, sums, before, page.own)
    page.told("over-time", changed)
    page.told("groups", said(whole(len(answer["rows"]))))
    weights = {"input_output_ratio": "input_tokens", "cache_read_output_ratio": "input_tokens", "cache_hit_rate": "input_tokens", "error_rate": "requests"}  # fmt: skip
    by = weights.get(metric, metric)
    answer["rows"].sort(key=lambda row: (-measure(row, by, page.own), -row["unpriced_tokens"], -row["requests"], row["group_label"], row["sub_label"] or ""))  # fmt: skip
    all_of_it = sum(measure(row, by, page.own) for row in answer["rows"])
    rows = []
    for row in answer["rows"]:
        share = None
        if metric not in RATIOS | SHARES and all_of_it > 0:
            share = measure(row, metric, page.own) / all_of_it
        earlier = None
        if sides:
            only = {group: row["group"], **({sub: row["sub"]} if sub else {})}
            earlier = page.rest.before(page.query, **only)["before"]
        rows.append(
            (
                row["group_label"] or "not named",
                {
                    "Spend": costs(row, page.own),
                    "Share": said(percent(share)),
                    "Change": metric_change(metric, row, earlier, page.own),
                    **_figures(row),
                },
            )
        )
    end = {"Spend": costs(sums, page.own), "Change": changed, **_figures(sums)}
    page.table("groups", [*rows, ("All", end)])
    if metric in RATIOS | SHARES:
        names = [charting.group_name(row) for row in answer["rows"]]  # fmt: skip
        ratio_chart(page, names, cut, metric)
    else:
        stacks(page, sides, bucket_of(page), group, sub)


def _figures(totals: Mapping) -> dict:
    return {
        "Input": [count(totals["input_tokens"])],
        "Cached": [count(totals["cache_read_input_tokens"])],
        "Output": [count(totals["output_tokens"])],
        "In : out": said(ratio(totals["input_output_ratio"])),
        "Cache hit": said(percent(totals["cache_hit_rate"])),
        "Requests": said(whole(totals["requests"])),
        "Errors": said(whole(totals["errors"])),
    }
