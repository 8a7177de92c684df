"""The rows of price tables behind a charge: where they come from, and why they were taken."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from accounting.domain.ratebook import RateBook
from accounting.models import CreditRate, FxRate
from accounting.models import Rate as RateModel
from accounting.queries.price_rows import PriceRow, price_row

#: What a conversion is for, and the id of its row: of a credit rate for 'credit', else of an FX rate.
type ConversionKey = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedRate:
    """A rate and what put it before others, in the order in which rates are compared."""

    row: PriceRow
    book_kind: str
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedConversion:
    """A dated rate between two currencies (purpose 'base' or 'credits'), or of a credit ('credit')."""

    purpose: str
    what: str
    currency: str
    rate: Decimal
    rate_id: int
    effective_from: datetime
    source: str
    version: int


def applied_rates(ids: Iterable[int]) -> dict[int, AppliedRate]:
    """Rates by id, also superseded ones. One query."""
    rows = RateModel.objects.filter(pk__in=set(ids)).select_related("book", "model")
    return {
        row.pk: AppliedRate(row=price_row(row), book_kind=row.book.kind, why=_why(row))
        for row in rows
    }


def conversion_keys(rates: RateBook, currency: str, at: datetime) -> tuple[ConversionKey, ...]:
    """The rates that a cost in a currency is converted by at a moment."""
    conversions = rates.conversions
    keys: list[ConversionKey] = []
    for purpose, wanted in (("base", conversions.currency), ("credits", conversions.kind.upper())):
        path = conversions.path(currency, wanted, at)
        keys += [
            ("credit" if step.is_credit else purpose, step.rate.id)
            for step in (path.steps if path else ())
        ]
    return tuple(dict.fromkeys(keys))


def applied_conversions(keys: Iterable[ConversionKey]) -> dict[ConversionKey, AppliedConversion]:
    """Conversion rates by key. Two queries at most."""
    keys = set(keys)
    fx = FxRate.objects.in_bulk({number for purpose, number in keys if purpose != "credit"})
    credit = CreditRate.objects.in_bulk({number for purpose, number in keys if purpose == "credit"})
    return {
        (purpose, number): _credit(credit[number])
        if purpose == "credit"
        else _exchange(purpose, fx[number])
        for purpose, number in keys
    }


def _exchange(purpose: str, row: FxRate) -> AppliedConversion:
    return AppliedConversion(
        purpose=purpose,
        what=row.from_currency,
        currency=row.to_currency,
        rate=row.rate,
        rate_id=row.pk,
        effective_from=row.effective_from,
        source=row.source,
        version=row.added_version_id,
    )


def _credit(row: CreditRate) -> AppliedConversion:
    return AppliedConversion(
        purpose="credit",
        what=row.kind,
        currency=row.currency,
        rate=row.price,
        rate_id=row.pk,
        effective_from=row.effective_from,
        source=row.source,
        version=row.added_version_id,
    )


def _why(row: RateModel) -> tuple[str, ...]:
    """The reasons in the order of the resolution rule: see domain.cards."""
    reasons = [f"{row.book.kind} book {row.book.code}"]
    if row.priority:
        reasons.append(f"priority {row.priority}")
    if row.model is not None:
        reasons.append("names " + f"{row.model.provider}/{row.model.name}".lstrip("/"))
    else:
        reasons.append(f"all models of {row.provider}" if row.provider else "any model")
    reasons += [f"{name} = {value}" for name, value in sorted(row.conditions.items())]
    if row.window_zone:
        reasons.append(f"time window {price_row(row).window}")
    if row.input_gt is not None:
        reasons.append(f"more than {row.input_gt} input tokens")
    reasons.append(f"in force from {row.effective_from.isoformat()}")
    return tuple(reasons)
