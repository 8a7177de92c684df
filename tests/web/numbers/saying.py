"""What REST answers, as pages are to say it: the numbers of tiles, cells, changes and sentences."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction

from accounting.web import formatting
from tests.web.numbers.reading import exact, numbers_in

SHARES = {"cache_hit_rate", "error_rate"}
RATIOS = {"input_output_ratio", "cache_read_output_ratio"}


def said(*texts: object) -> list[str]:
    """The numbers of some texts, None left out."""
    return [number for text in texts if text is not None for number in numbers_in(str(text))]


def count(value: int | None) -> str | None:
    """A count that is exact in its title."""
    return None if value is None else exact(value)


def whole(value: int | None) -> str | None:
    """A count with every digit."""
    return None if value is None else formatting.exact(value)


def percent(value: str | Fraction | None) -> str | None:
    """A share that REST tells as a decimal."""
    return None if value is None else formatting.percent(Fraction(value))


def ratio(value: str | None) -> str | None:
    """Input per output."""
    return None if value is None else formatting.ratio(Decimal(value))


def amounts(found: Mapping[str, str], own: str) -> list[tuple[str, str]]:
    """Amounts by currency, the organization's own first."""
    return sorted(found.items(), key=lambda pair: pair[0] != own)


def costs(totals: Mapping, own: str) -> list[str]:
    """A cost in a table: by currency, and converted where one of them is foreign."""
    found = [exact(amount, currency) for currency, amount in amounts(totals["cost"], own)]
    return found + converted(totals, own)


def converted(totals: Mapping, own: str) -> list[str]:
    """The whole in the organization's currency, where something was spent in another."""
    is_foreign = any(currency != own for currency in totals["cost"])
    return [exact(totals["cost_base"], own)] if is_foreign and totals["cost_base"] else []


def spend_notes(totals: Mapping, own: str) -> list[str]:
    """What stands below spend in a tile."""
    notes: list[str] = converted(totals, own)
    if totals["cost_base_unknown"] and totals["cost_base"] is not None:
        notes += said(whole(totals["cost_base_unknown"]))
    if totals["unpriced_requests"]:
        notes += said(whole(totals["unpriced_requests"]))
    if totals["unpriced_requests"] or totals["unpriced_tokens"]:
        notes += said(formatting.tokens(totals["unpriced_tokens"]))
    return notes


def spend(totals: Mapping, own: str) -> list[str]:
    """Spend in a tile."""
    found = [exact(amount, currency) for currency, amount in amounts(totals["cost"], own)]
    return found + spend_notes(totals, own)


def failed(totals: Mapping) -> list[str]:
    """How many requests failed, and their share of all that ended."""
    if not totals["errors"]:
        return []
    return said(whole(totals["errors"]), percent(measure(totals, "error_rate", "")))


def measure(totals: Mapping, metric: str, own: str) -> Fraction | None:
    """A metric of some totals; cost in the organization's currency."""
    if metric == "cost":
        return Fraction(totals["cost_base"] or totals["cost"].get(own, 0))
    if metric == "error_rate":
        return _divided(totals["errors"], totals["requests"] + totals["errors"])
    if metric == "cache_read_output_ratio":
        return _divided(totals["cache_read_input_tokens"], totals["output_tokens"])
    if metric in SHARES | RATIOS:
        return None if totals[metric] is None else Fraction(totals[metric])
    return Fraction(totals[metric] or 0)


def change(now: Fraction | int | None, before: Fraction | int | None) -> list[str]:
    """A change in percent: in words for the ear, then with its sign."""
    if now is None or not before:
        return []
    share = Fraction(now) / Fraction(before) - 1
    if share >= 10:
        times = formatting.figure(int(share + 1))
        return said(times, f"{times}×")
    size = formatting.percent(abs(share))
    return said(size, f"{_sign(share)}{size}") if share else said("= 0 %")


def moved(now: Fraction | None, before: Fraction | None) -> list[str]:
    """A change of a share, in points."""
    if now is None or before is None:
        return []
    size = formatting.points(abs(now - before))
    return said(size, f"{_sign(now - before)}{size}") if now != before else said("0")


def metric_change(metric: str, now: Mapping, before: Mapping | None, own: str) -> list[str]:
    """The change of a metric: of a share in points, of anything else in percent."""
    if before is None:
        return []
    pair = measure(now, metric, own), measure(before, metric, own)
    return moved(*pair) if metric in SHARES else change(*pair)


def total(values: Iterable[str | int | None]) -> Decimal:
    """An exact sum of what is known."""
    return sum((Decimal(value) for value in values if value is not None), Decimal())


def _sign(value: Fraction) -> str:
    return "+" if value > 0 else formatting.MINUS


def _divided(over: int | None, under: int | None) -> Fraction | None:
    return Fraction(over, under) if over is not None and under else None
