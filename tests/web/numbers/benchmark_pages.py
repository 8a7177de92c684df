"""Benchmarks beside their runs: the list, one run, and two side by side."""

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

from django.http import QueryDict

from accounting.web import formatting
from tests.web.numbers.saying import costs, count, said, spend, whole
from tests.web.numbers.seen import Seen

MEASURES = {
    "TTFT 50 %": "ttft_ms_p50",
    "TTFT 95 %": "ttft_ms_p95",
    "TPOT 50 %": "tpot_ms_p50",
    "TPOT 95 %": "tpot_ms_p95",
}
PAIRED = ("TTFT, median", "TTFT, 95 %", "TPOT, median", "TPOT, 95 %")
#: What a summary of the tool calls the same, in ms.
TOLD_AS = {
    "ttft_ms_p50": ("median_ttft_ms", "p50_ttft_ms"),
    "ttft_ms_p95": ("p95_ttft_ms",),
    "tpot_ms_p50": ("median_tpot_ms", "p50_tpot_ms"),
    "tpot_ms_p95": ("p95_tpot_ms",),
}
#: The sentence about the bands: constants of the page, and no measurement.
BANDS = said("1 s", "2 s", "30", "60 ms", "100 ms", "200 ms")


def _runs(page: Seen) -> dict[int, Mapping]:
    return {run["run_id"]: run for run in page.rest.ask("runs")["rows"]}


def benchmarks(page: Seen) -> None:
    """/benchmarks/ beside runs."""
    page.table("runs", [_run(run, page.own) for run in _runs(page).values()])
    page.told("", BANDS)


def _name(run: Mapping) -> str:
    return run["label"] or f"{run['tool']} {run['run_id']}"


def _sums(run: Mapping) -> Mapping:
    """What the books have of a run, else what its tool says."""
    return run["totals"] if run["totals"]["requests"] or not run["told"] else run["told"]


def _errors(run: Mapping) -> int | None:
    return run["totals"]["errors"] if _sums(run) is run["totals"] else None


def _latency(run: Mapping, name: str) -> float | None:
    if run[name] is not None or not run["told"]:
        return run[name]
    figures = run["told"]["figures"]
    text = next((figures[one] for one in TOLD_AS[name] if one in figures), None)
    return None if text is None else float(text)


def _speed(run: Mapping) -> Decimal | None:
    found = run["output_tokens_per_second"]
    return None if found is None else Decimal(found)


def _prices(run: Mapping) -> list[str]:
    return said(*(formatting.money(Decimal(one)) for one in run["cost_per_mtok_output"].values()))


def _run(run: Mapping, own: str) -> tuple[str, dict]:
    return _name(run), {
        "Requests": [count(_sums(run)["requests"])],
        "Errors": [count(_errors(run))],
        **{
            title: said(formatting.milliseconds(_latency(run, name)))
            for title, name in MEASURES.items()
        },
        "Output tokens per second": said(formatting.per_second(_speed(run))),
        "Cost": costs(run["totals"], own),
        "Cost per million output tokens": _prices(run),
    }


def one_run(page: Seen) -> None:
    """/benchmarks/ID/ beside its run."""
    run = _runs(page)[int(QueryDict(page.query)["key"])]
    sums = _sums(run)
    page.told("/Requests", count(sums["requests"]), said(whole(run["totals"]["errors"] or None)))
    for title, name in MEASURES.items():
        page.told(f"/{title}", said(formatting.milliseconds(_latency(run, name))))
    elapsed = run["elapsed_s"]
    span = formatting.duration(timedelta(seconds=elapsed)) if elapsed else None
    page.told("/Output tokens per second", said(formatting.per_second(_speed(run)), span))
    page.told("/Tokens", count(sums["output_tokens"]), count(sums["input_tokens"]))
    page.told("/Spend", spend(run["totals"], page.own), _prices(run))
    settings = [(name, {"": said(value)}) for name, value in run["settings"].items()]
    fixed = [("Model", {}), ("Tool", {}), ("Started", {})]
    page.table("about", [*fixed, *settings])
    if run["told"]:
        page.table(
            "told", [(name, {"": said(one)}) for name, one in run["told"]["figures"].items()]
        )
    page.told("", said(_name(run)), BANDS)


def two_runs(page: Seen) -> None:
    """/benchmarks/two/ beside the two runs."""
    chosen = [int(one) for one in QueryDict(page.query).getlist("run")]
    pair = [_runs(page)[run_id] for run_id in chosen]
    names = [_name(run) for run in pair]

    def line(label: str, values: list, written: list[str]) -> tuple[str, dict]:
        sides = {name: said(text) for name, text in zip(names, written, strict=True)}
        return label, {**sides, "Difference": said(_change(*values))}

    def counted(label: str, values: list[int | None]) -> tuple[str, dict]:
        return line(label, values, [formatting.exact(one) for one in values])

    rows = [
        counted("Requests", [_sums(run)["requests"] for run in pair]),
        counted("Errors", [_errors(run) for run in pair]),
        counted("Input tokens", [_sums(run)["input_tokens"] for run in pair]),
        counted("Output tokens", [_sums(run)["output_tokens"] for run in pair]),
    ]
    for label, name in zip(PAIRED, MEASURES.values(), strict=True):
        values = [_latency(run, name) for run in pair]
        rows.append(line(label, values, [formatting.milliseconds(one) for one in values]))
    speeds = [_speed(run) for run in pair]
    written = [formatting.per_second(one) for one in speeds]
    rows.append(line("Output tokens per second", speeds, written))
    for currency in sorted({one for run in pair for one in run["cost_per_mtok_output"]}):
        found = [run["cost_per_mtok_output"].get(currency) for run in pair]
        prices = [None if one is None else Decimal(one) for one in found]
        written = [formatting.money(one) for one in prices]
        rows.append(line("Cost per million output tokens", prices, written))
    page.table("measured", rows)
    settings = [run["settings"] for run in pair]
    differing = sorted({name for one in settings for name in one if settings[0].get(name) != settings[1].get(name)})  # fmt: skip
    page.table(
        "differing",
        [
            (name, {one: said(found.get(name)) for one, found in zip(names, settings, strict=True)})
            for name in differing
        ],
    )
    page.told("", BANDS)


def _change(one: float | Decimal | None, other: float | Decimal | None) -> str | None:
    if not one or other is None:
        return None
    share = Fraction(other) / Fraction(one) - 1
    return ("+" if share > 0 else "") + formatting.percent(share)
