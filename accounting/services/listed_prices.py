"""The built-in list: the data of the genai-prices package as rows of our price table.

The package says which prices exist; what it cannot say (weekdays, a daily window that began on a
day) is put right here, in the one visible table CORRECTED_WINDOWS.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Context, Decimal
from hashlib import blake2b
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from accounting.domain.money import plain
from accounting.domain.rates import BEGINNING, EVERY_DAY, Conditions, Window, conditions_of
from accounting.domain.shelves import Alias
from accounting.services.listed_names import aliases_of, unit_of_price_key
from accounting.services.price_rows import RateRow

#: Goes up when the same data is to be read differently, so that it is loaded again.
READING = 1
#: Floats that went through binary fractions: 0.18000000000000002 is 0.18.
_SNAP = Context(prec=12)
_WORKDAYS = 0b0011111
_BEIJING = "Asia/Shanghai"
#: DeepSeek's peak hours, which the package holds as UTC hours of every day: Monday to Friday only
#: from Sunday 2026-08-23 in Beijing on (genai-prices issue 582). Public holidays cannot be said.
CORRECTED_WINDOWS = {
    ("deepseek", time(1), time(4)): (time(9), time(12)),
    ("deepseek", time(6), time(10)): (time(14), time(18)),
}
_FREE_WEEKENDS_FROM = datetime(2026, 8, 22, 16, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceList:
    """Everything the package says. names: every (provider, model), in the package's order."""

    rows: Sequence[RateRow]
    aliases: Sequence[Alias]


@dataclass(frozen=True, slots=True)
class _Owner:
    provider: str
    model: str
    source: str


@dataclass(frozen=True, slots=True)
class _Span:
    start: datetime
    end: datetime | None


@dataclass(frozen=True, slots=True)
class _Price:
    unit: str
    input_gt: int | None
    price: Decimal
    per: int
    span: _Span


def list_digest() -> str:
    """A digest of the package's data and of how it is read, without importing it."""
    spec = find_spec("genai_prices")
    folder = Path(next(iter(spec.submodule_search_locations or ()))) if spec else Path()
    content = (folder / "data.py").read_bytes() + (folder / "data_units.py").read_bytes()
    return f"{READING}:{blake2b(content, digest_size=16).hexdigest()}"


def price_list() -> PriceList:
    """Read the package. Takes about a second, nearly all of it the package's own import."""
    from genai_prices.data import providers  # noqa: PLC0415  # a second and 40 MB, when needed only

    source = f"genai-prices {version('genai-prices')}"
    rows = [
        row
        for provider in providers
        for model in provider.models
        for row in _rows_of(_Owner(provider.id, model.id, source), model)
    ]
    return PriceList(rows=rows, aliases=list(aliases_of(providers)))


def _rows_of(owner: _Owner, model: Any) -> Iterator[RateRow]:
    entries = model.prices if isinstance(model.prices, list) else [_Always(model.prices)]
    dated = [entry for entry in entries if not _is_window(entry)]
    spans = _spans([_starts(entry) for entry in dated])
    for price in _merged([(span, _last_active(dated, span.start).prices) for span in spans]):
        yield _row(price, owner=owner)
    for place, entry in enumerate(entries):
        if _is_window(entry):
            span = _window_span(entries, place)
            for part, window in _windows(owner.provider, span, entry.constraint):
                for price in _merged([(part, entry.prices)]):
                    yield _row(price, owner=owner, window=window)
    for conditions, group in _variants(model.price_variants or ()):
        for price in _variant_prices(group):
            yield _row(price, owner=owner, conditions=conditions)


def _variant_prices(group: Sequence[Any]) -> Iterator[_Price]:
    spans = _spans([_starts(variant) for variant in group])
    for key in dict.fromkeys(key for variant in group for key in _prices(variant.prices)):
        chosen = [(span, _first_active(group, key, span.start)) for span in spans]
        yield from _merged([(span, found.prices) for span, found in chosen if found], only=key)


@dataclass(frozen=True, slots=True)
class _Always:
    prices: Any
    constraint: None = None


def _is_window(entry: Any) -> bool:
    return hasattr(entry.constraint, "start_time")


def _starts(entry: Any) -> datetime:
    if entry.constraint is None:
        return BEGINNING
    day: date = entry.constraint.start_date
    return max(BEGINNING, datetime(day.year, day.month, day.day, tzinfo=UTC))


def _spans(starts: Iterable[datetime]) -> list[_Span]:
    """The spans between starts, the first from the beginning of the books on."""
    instants = sorted({BEGINNING, *starts})
    return [_Span(start, end) for start, end in zip(instants, [*instants[1:], None], strict=True)]


def _last_active(dated: Sequence[Any], moment: datetime) -> Any:
    """The package's rule: the last listed entry that has begun, else the first listed."""
    active = [entry for entry in dated if _starts(entry) <= moment]
    return active[-1] if active else dated[0]


def _first_active(variants: Sequence[Any], key: str, moment: datetime) -> Any | None:
    """The package's rule for variants: the first listed that has begun and prices the key."""
    for variant in variants:
        if _starts(variant) <= moment and key in _prices(variant.prices):
            return variant
    return None


def _window_span(entries: Sequence[Any], place: int) -> _Span:
    """A daily window holds from the start of the dated entry before it until the one after it."""
    before = [_starts(e) for e in entries[:place] if not _is_window(e)]
    after = [_starts(e) for e in entries[place:] if not _is_window(e)]
    return _Span(max(before, default=BEGINNING), min(after, default=None))


def _windows(provider: str, span: _Span, constraint: Any) -> Iterator[tuple[_Span, Window]]:
    start, end = (t.replace(tzinfo=None) for t in (constraint.start_time, constraint.end_time))
    corrected = CORRECTED_WINDOWS.get((provider, start, end))
    if corrected is None:
        yield span, Window(zone="UTC", start=start, end=end)
        return
    if span.start < _FREE_WEEKENDS_FROM:
        yield (
            _Span(span.start, _FREE_WEEKENDS_FROM),
            Window(zone=_BEIJING, start=corrected[0], end=corrected[1], weekdays=EVERY_DAY),
        )
    yield (
        _Span(max(span.start, _FREE_WEEKENDS_FROM), span.end),
        Window(zone=_BEIJING, start=corrected[0], end=corrected[1], weekdays=_WORKDAYS),
    )


def _variants(variants: Iterable[Any]) -> Iterator[tuple[Conditions, list[Any]]]:
    groups: dict[Conditions, list[Any]] = {}
    for variant in variants:
        groups.setdefault(conditions_of(variant.when), []).append(variant)
    yield from groups.items()


def _merged(priced: Sequence[tuple[_Span, Any]], only: str | None = None) -> Iterator[_Price]:
    """Prices over consecutive spans; one that stays the same is one price."""
    running: dict[tuple[str, int | None], _Price] = {}
    for span, prices in priced:
        bands = dict(_bands(prices, only))
        for key in [key for key in running if key not in bands]:
            yield running.pop(key)
        for key, (price, per) in bands.items():
            known = running.get(key)
            goes_on = known is not None and (known.price, known.per) == (price, per)
            if known is not None and goes_on and known.span.end == span.start:
                running[key] = _Price(*key, price, per, _Span(known.span.start, span.end))
                continue
            if known is not None:
                yield known
            running[key] = _Price(*key, price, per, span)
    yield from running.values()


def _row(
    price: _Price, *, owner: _Owner, conditions: Conditions = (), window: Window | None = None
) -> RateRow:
    snapped = snap(price.price)
    return RateRow(
        provider=owner.provider,
        model=owner.model,
        unit=price.unit,
        price=snapped,
        per=price.per,
        effective_from=price.span.start,
        effective_to=price.span.end,
        input_gt=price.input_gt,
        conditions=conditions,
        window=window,
        source=owner.source,
        note="" if snapped == price.price else f"listed as {plain(price.price)}",
    )


def _bands(
    prices: Any, only: str | None
) -> Iterator[tuple[tuple[str, int | None], tuple[Decimal, int]]]:
    for key, price in _prices(prices).items():
        if only is not None and key != only:
            continue
        unit, per = unit_of_price_key()[key]
        if isinstance(price, Decimal):
            yield (unit, None), (price, per)
            continue
        yield (unit, None), (price.base, per)
        for tier in price.tiers:
            yield (unit, tier.start), (tier.price, per)


def _prices(prices: Any) -> dict[str, Any]:
    return {key: price for key, price in vars(prices).items() if key in unit_of_price_key()}


def snap(price: Decimal) -> Decimal:
    """A price without the tail that a binary fraction left behind: at most 12 significant digits."""
    if len(price.as_tuple().digits) <= _SNAP.prec:
        return price
    return Decimal(plain(_SNAP.create_decimal(price)))
