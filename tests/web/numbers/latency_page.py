"""/explore/ of a latency beside latency, cut as the page is."""

from decimal import Decimal

from accounting.web import formatting
from tests.web.numbers import charting
from tests.web.numbers.saying import change, said, whole
from tests.web.numbers.seen import Seen
from tests.web.numbers.usage_charts import bucket_of, with_whole

PERCENTS = ("p50", "p95", "p99")


def latencies(page: Seen) -> None:
    """/explore/ of a latency beside latency, cut as the page is."""
    kind, percent = page.asked("metric").split("_")
    cut = {"group": page.asked("group", "model"), "sub": page.asked("sub") or None}
    answer = page.rest.latency(page.query, **cut)
    rows = sorted((row for row in answer["rows"] if row[kind]["requests"]), key=lambda row: (-row[kind]["requests"], row["group_label"], row["sub_label"] or ""))  # fmt: skip
    earlier = _before(page, cut)

    def changed(row: dict, key: tuple) -> list[str]:
        then = earlier.get(key, {}).get(kind, {})
        return change(_value(row[kind], percent), _value(then, percent))

    all_of_it = changed(answer["totals"], ())
    page.told("over-time", all_of_it)
    if not rows:
        return
    page.told("groups", said(whole(len(rows))))
    lines = [
        (
            row["group_label"] or "not named",
            _line(row[kind], changed(row, (row["group"], row["sub"]))),
        )
        for row in rows
    ]
    page.table("groups", [*lines, ("All", _line(answer["totals"][kind], all_of_it))])
    _chart(page, rows, cut, kind, percent)


def _before(page: Seen, cut: dict) -> dict[tuple, dict]:
    """What was measured before by group, () for all of it."""
    sides = page.rest.before(page.query)
    if sides is None:
        return {}
    days = {"range": None, "from": sides["compared_from"], "to": sides["compared_to"]}
    answer = page.rest.latency(page.query, **{**cut, **days})
    return {(row["group"], row["sub"]): row for row in answer["rows"]} | {(): answer["totals"]}


def _line(told: dict, changed: list[str]) -> dict:
    values = {name: said(formatting.milliseconds(told[f"{name}_ms"])) for name in PERCENTS}
    return {**values, "Change": changed, "Requests that tell it": said(whole(told["requests"]))}


def _chart(page: Seen, groups: list[dict], cut: dict, kind: str, percent: str) -> None:
    bucket, chart = bucket_of(page), page.chart("ratio")
    rows = page.rest.latency(page.query, **cut, bucket=bucket)["rows"]
    alone = page.rest.latency(page.query, bucket=bucket)["rows"]
    names = [charting.group_name(row) for row in groups][:9]
    columns: dict[str, dict] = {name: {} for name in [*names, charting.ALL]}
    for row in [*rows, *alone]:
        name = charting.ALL if row["group"] is None else charting.group_name(row)
        if name in columns and (value := _value(row[kind], percent)) is not None:
            columns[name][charting.bucket_name(row["bucket"], bucket, page.zone)] = value
    assert chart.rows == [
        (one, {name: _cell(found.get(one)) for name, found in columns.items()})
        for one in columns[charting.ALL]
    ]
    told = columns[charting.ALL].values()
    assert chart.caption == [
        number
        for value in (min(told), max(told))
        for number in said(formatting.milliseconds(float(value)))
    ]
    charting.drawing_is_the_table(with_whole(chart))


def _cell(value: Decimal | None) -> str:
    return charting.cell(value, lambda one: formatting.milliseconds(float(one)))


def _value(told: dict, percent: str) -> Decimal | None:
    value = told.get(f"{percent}_ms")
    return None if value is None else Decimal(repr(value))
