"""The charts of the overview, of any cut and of the cache, beside usage by bucket."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from tests.web.numbers import charting
from tests.web.numbers.seen import Seen


def bucket_of(page: Seen) -> str:
    """The bucket of a chart: days, or of longer ranges weeks or months."""
    if page.asked("bucket"):
        return page.asked("bucket")
    answer = page.rest.usage(page.query, metric=None)
    days = (date.fromisoformat(answer["to"]) - date.fromisoformat(answer["from"])).days
    return "day" if days <= 92 else "week" if days <= 750 else "month"


def stacks(page: Seen, sides: Mapping | None, bucket: str, group: str, sub: str) -> None:
    """The charts of a metric that adds up: one for each currency of cost."""
    metric = page.asked("metric", "cost")
    cut = {"bucket": bucket, "group": group, **({"sub": sub} if sub else {})}
    rows = page.rest.usage(page.query, **cut)["rows"]
    found = sorted({one for row in rows for one in row["cost"]}) if metric == "cost" else [""]
    for number, currency in enumerate(found):
        chart = page.chart(f"stack-{number}")
        charting.stack_is_right(chart, rows, metric, currency, page.zone, bucket)
        charting.drawing_is_the_table(chart, page.asked("show"))
        if sides:
            days = {
                "range": None,
                "weekday": None,
                "from": sides["compared_from"],
                "to": sides["compared_to"],
            }
            earlier = page.rest.usage(page.query, **days, compare=None, bucket=bucket)["rows"]
            before = [charting.metric_of(row, metric, currency) or Decimal() for row in earlier]
            whole_before = charting.metric_of(sides["before"], metric, currency) or Decimal()
            charting.ghost_is_right(
                chart, before, whole_before, charting.reading_of(metric, currency)
            )


def ratio_chart(page: Seen, names: list[str], cut: Mapping, metric: str) -> None:
    """The chart of a ratio. names: of all groups, in the order of the page."""
    chart, bucket = page.chart("ratio"), bucket_of(page)
    rows = page.rest.usage(page.query, **cut, bucket=bucket)["rows"]
    alone = page.rest.usage(page.query, bucket=bucket)["rows"]
    charting.ratio_is_right(chart, rows, alone, names, metric, page.zone, bucket)
    # The line of the whole is a column of the table too, of a name that is no group's.
    charting.drawing_is_the_table(with_whole(chart))


def with_whole(chart: charting.Chart) -> charting.Chart:
    """The chart with its line of the whole as a column like any other."""
    rows = [(one, {name if name != charting.ALL else "All ": text for name, text in cells.items()}) for one, cells in chart.rows]  # fmt: skip
    for trace in chart.drawing["data"]:
        trace["name"] = "All " if trace["name"] == charting.ALL else trace["name"]
    return charting.Chart(caption=chart.caption, rows=rows, drawing=chart.drawing)
