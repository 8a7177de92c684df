"""Charts: the table of each says what REST answers, and what is drawn is what the table says."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import partial
from html import unescape
from itertools import accumulate
from zoneinfo import ZoneInfo

from accounting.domain.ratios import written_ratio
from accounting.web import formatting
from tests.web.numbers.reading import Chart, numbers_in
from tests.web.numbers.saying import RATIOS, SHARES, measure

type Reading = Callable[[Decimal], str]
#: Columns that are no group.
ALL, OTHER = "All", "Other"
COMPARED = frozenset({"The period before", "A year before"})


def reading_of(metric: str, currency: str = "") -> Reading:
    """How a value of a metric is written."""
    if metric in SHARES:
        return formatting.percent
    if metric in RATIOS:
        return formatting.ratio
    if metric in {"cost", "credits"}:
        return partial(formatting.money, currency=currency)
    return lambda amount: formatting.tokens(int(amount))


def in_a_column(chart: Chart, reading: Reading, name: str = "") -> Reading:
    """The same in the chart's table, whose amounts of money have one number of decimals.

    name: of the only column that has amounts, '' for all of them.
    """
    if not isinstance(reading, partial):
        return reading
    shown = [cells for _row, cells in chart.rows]
    cells = [text for row in shown for label, text in row.items() if name in {"", label}]
    texts = [text.partition("|")[0] for text in cells]
    decimals = {len(text.split()[0].partition(".")[2]) for text in texts if "." in text}
    assert len(decimals) == 1, decimals
    return partial(reading, decimals=decimals.pop())


def cell(value: Decimal | Fraction | None, reading: Reading) -> str:
    """A cell of a chart's table: as read, and exact."""
    if value is None:
        return f"{formatting.UNKNOWN}|{formatting.UNKNOWN}"
    digits = written_ratio(value) if isinstance(value, Fraction) else formatting.exact(value)
    return f"{reading(value)}|{digits}"


def bucket_name(bucket: str, kind: str, zone: ZoneInfo) -> str:
    """A bucket of REST as a chart calls it."""
    if "T" in bucket:
        return formatting.moment(datetime.fromisoformat(bucket), zone)
    day = date.fromisoformat(bucket)
    if kind == "week":
        return f"week of {formatting.day(day)}"
    return formatting.month(day) if kind == "month" else formatting.day(day)


def group_name(row: Mapping) -> str:
    """What a chart calls a group, and its part of the second dimension."""
    kinds = [one for one in ("group", "sub") if row[one] is not None]
    return " · ".join(row[f"{one}_label"] or "not named" for one in kinds)


def metric_of(row: Mapping, metric: str, currency: str) -> Decimal | None:
    """An amount that adds up, None where a row has none."""
    value = row["cost"].get(currency) if metric == "cost" else row[metric]
    return None if value is None else Decimal(value)


def stack_is_right(
    chart: Chart, rows: Sequence[Mapping], metric: str, currency: str, zone: ZoneInfo, kind: str
) -> None:
    """rows: REST's, by bucket, group and sub."""
    reading = reading_of(metric, currency)
    by_group: dict[str, dict[str, Decimal]] = {}
    for row in rows:
        amount = metric_of(row, metric, currency)
        if amount is not None:
            name = group_name(row)
            found = by_group.setdefault(name, {})
            bucket = bucket_name(row["bucket"], kind, zone)
            found[bucket] = found.get(bucket, Decimal()) + amount
    sums = sorted(by_group, key=lambda name: (-sum(by_group[name].values()), name))
    shown, others = sums[:9], sums[9:]
    in_table = in_a_column(chart, reading)
    expected: dict[str, dict[str, str]] = {}
    order = dict.fromkeys(bucket_name(row["bucket"], kind, zone) for row in rows)
    for bucket in order:
        parts = {name: by_group[name].get(bucket, Decimal()) for name in shown}
        if others:
            parts[OTHER] = sum(
                (by_group[name].get(bucket, Decimal()) for name in others), Decimal()
            )
        parts[ALL] = sum(parts.values(), Decimal())
        if parts[ALL]:
            expected[bucket] = {
                name: cell(amount, in_table) if amount else "0|0" for name, amount in parts.items()
            }
    told = {
        bucket: {name: text for name, text in cells.items() if name not in COMPARED}
        for bucket, cells in chart.rows
    }
    nothing = {bucket for bucket, cells in told.items() if cells[ALL] == "0|0"}
    assert {bucket: cells for bucket, cells in told.items() if bucket not in nothing} == expected
    whole = sum((sum(one.values()) for one in by_group.values()), Decimal())
    highest = max(expected, key=lambda one: _exact(expected[one][ALL]))
    assert chart.caption == [
        number
        for text in (reading(whole), reading(_exact(expected[highest][ALL])))
        for number in numbers_in(text)
    ]


def ghost_is_right(
    chart: Chart, before: Sequence[Decimal], whole: Decimal, reading: Reading
) -> None:
    """before: REST's amounts of the compared range by bucket; whole: of it until it was cut.

    Only the last bucket may be cut: what it has is what the others leave of the whole.
    """
    reading = in_a_column(chart, reading)
    told = [
        text for _bucket, cells in chart.rows for name, text in cells.items() if name in COMPARED
    ]
    shown = [text for text in told if text not in {"–|–", cell(Decimal(), reading)}]
    amounts = [amount for amount in before if amount][: max(0, len(shown) - 1)]
    last = [whole - sum(amounts, Decimal())] if shown else []
    assert shown == [cell(one, reading) for one in [*amounts, *last]]
    assert shown or not whole


def ratio_is_right(
    chart: Chart, rows: Sequence[Mapping], whole: Sequence[Mapping], groups: Sequence[str],
    metric: str, zone: ZoneInfo, kind: str,
) -> None:  # fmt: skip
    """rows: REST's by bucket and group; whole: by bucket; groups: the labels of all, as ordered."""
    reading = reading_of(metric)
    columns: dict[str, dict[str, Fraction | None]] = {name: {} for name in [*groups[:9], ALL]}
    for row in [*rows, *whole]:
        name = ALL if row["group"] is None else group_name(row)  # fmt: skip
        if name in columns:
            columns[name][bucket_name(row["bucket"], kind, zone)] = measure(row, metric, "")
    assert chart.rows == [
        (bucket, {name: cell(found.get(bucket), reading) for name, found in columns.items()})
        for bucket in columns[ALL]
        if any(found.get(bucket) is not None for found in columns.values())
    ]
    known = [value for value in columns[ALL].values() if value is not None]
    assert chart.caption == [
        number for value in (min(known), max(known)) for number in numbers_in(reading(value))
    ]


def drawing_is_the_table(chart: Chart, shown: str = "") -> None:
    """Each trace is a column of the table, height and label alike; what has no row is nothing."""
    rows = dict(chart.rows)
    columns = [name for name in chart.rows[0][1] if name != ALL] if chart.rows else []
    drawn = [unescape(trace["name"]) for trace in chart.drawing["data"]]
    assert sorted(drawn) == sorted(columns)
    for trace, name in zip(chart.drawing["data"], drawn, strict=True):
        told = [rows[bucket][name] if bucket in rows else None for bucket in trace["x"]]
        values = [_exact(text) for text in told]
        if shown == "cumulative" or (shown == "share" and name in COMPARED):
            values = list(accumulate(value or Decimal() for value in values))
        elif shown == "share":
            wholes = [_exact(rows[one][ALL]) if one in rows else None for one in trace["x"]]
            values = [
                value / all_ if value and all_ else Decimal()
                for value, all_ in zip(values, wholes, strict=True)
            ]
        for value, text, height, label in zip(
            values, told, trace["y"], trace["customdata"], strict=True
        ):
            if height is None and name in COMPARED:
                continue  # behind the end of the range that it is compared with
            assert abs((height or 0) - float(value or 0)) <= 1e-6 * max(
                1, abs(float(value or 0))
            ), (name, text, height)
            if not shown and value:
                assert label == text.partition("|")[0]
    assert set(rows) <= {bucket for trace in chart.drawing["data"] for bucket in trace["x"]}


def _exact(text: str | None) -> Decimal | None:
    digits = text.partition("|")[2].replace(",", "").replace("−", "-") if text else "–"
    return None if digits == "–" else Decimal(digits)
