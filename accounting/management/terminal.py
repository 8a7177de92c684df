"""A usage table as a terminal shows it: the columns a person compares, totals below."""

from fractions import Fraction

from rich.table import Table

from accounting.domain.money import plain
from accounting.queries.spend import Member, UsageTable
from accounting.queries.totals import Totals
from accounting.queries.writing import written_bucket

_UNKNOWN = "–"
_FIGURES = ("requests", "errors", "input", "cached", "output", "hit %", "in/out")


def terminal_table(table: UsageTable) -> Table:
    """The table, one column of cost for each currency."""
    wanted = table.wanted
    names = [name for name in (wanted.bucket, wanted.group, wanted.sub) if name]
    currencies = [cost.currency for cost in table.totals.costs]
    shown = Table(show_footer=True)
    footer = [*(["Total"] + [""] * len(names))[: len(names)], *_cells(table.totals, currencies)]
    headers = [*names, *_FIGURES, *currencies, "unpriced"]
    for position, (header, foot) in enumerate(zip(headers, footer, strict=True)):
        is_name = position < len(names)
        shown.add_column(header, foot, justify="left" if is_name else "right", no_wrap=not is_name)
    for row in table.rows:
        places = (written_bucket(row.bucket), _label(row.group), _label(row.sub))
        found = [place for place in places if place is not None]
        shown.add_row(*found, *_cells(row.totals, currencies))
    return shown


def _cells(totals: Totals, currencies: list[str]) -> list[str]:
    costs = {cost.currency: plain(cost.amount) for cost in totals.costs}
    counts = (
        totals.requests,
        totals.errors,
        totals.input_tokens,
        totals.cache_read_input_tokens,
        totals.output_tokens,
    )
    return [
        *(_UNKNOWN if count is None else f"{count:,}" for count in counts),
        _rounded(totals.cache_hit_rate, times=100),
        _rounded(totals.input_output_ratio),
        *(costs.get(currency, _UNKNOWN) for currency in currencies),
        f"{totals.unpriced_requests:,}",
    ]


def _label(member: Member | None) -> str | None:
    return None if member is None else member.label or "(none)"


def _rounded(value: Fraction | None, times: int = 1) -> str:
    return _UNKNOWN if value is None else f"{value * times:.1f}"
