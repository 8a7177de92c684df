"""Computing the charge of an event that exists again, by the prices it was priced with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from accounting.domain.errors import DomainError
from accounting.domain.money import from_picos
from accounting.domain.ratebook import RateBook
from accounting.domain.rating import Line, Rating
from accounting.domain.tokens import COUNT_NAMES, TokenCounts
from accounting.domain.usage import Use
from accounting.models import CostRevision, UsageEvent
from accounting.queries.explained_rates import ConversionKey, conversion_keys
from accounting.queries.prices import loaded_rates, rates_of_version

_USE = (
    "provider",
    "request_model",
    "response_model",
    "operation",
    "service_tier",
    "processing",
    "speed",
    "region",
    "route",
    "status",
    "gateway_cache_hit",
    "billable",
)
_AMOUNTS = ("cost", "cost_base", "credits")
_PARTS = ("cost_input", "cost_cache_read", "cost_cache_write", "cost_output", "cost_other")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """An event and what was computed: charged is the event the lines belong to."""

    event: UsageEvent
    charged: UsageEvent
    rating: Rating | None
    lines: tuple[Line, ...]
    base: Decimal | None
    credits: Decimal | None
    is_exact: bool
    conversions: tuple[ConversionKey, ...]


class Books:
    """The price books by version, each loaded once."""

    def __init__(self, organization_id: int) -> None:
        """Start with the newest version, which the process keeps."""
        self.organization_id = organization_id
        newest = loaded_rates(organization_id)
        self._known: dict[int, RateBook] = {newest.version: newest}

    def of(self, version: int) -> RateBook:
        """The books as a version knew them."""
        if version not in self._known:
            self._known[version] = rates_of_version(self.organization_id, version)
        return self._known[version]


def bill_of(
    event: UsageEvent,
    corrected: Mapping[bytes, UsageEvent],
    revisions: Mapping[tuple[bytes, date], list[CostRevision]],
    books: Books,
) -> Bill:
    """Compute an event's charge again by the version it stores.

    corrected: the events that corrections correct, by the correction's key; revisions: what runs
    changed, by the place of the event.
    """
    charged = corrected.get(bytes(event.dedupe_key), event)
    rates = books.of(event.price_version)
    at = charged.occurred_at
    try:
        rating, lines = rates.explain(
            _use(charged), at, project_id=charged.project_id, requests=int(charged.part == 0)
        )
    except DomainError:
        # Posted rows that can't be rated any more stand as unpriced.
        return Bill(
            event=event, charged=charged, rating=None, lines=(), base=None, credits=None,
            is_exact=event.cost is None, conversions=(),
        )  # fmt: skip
    base = credit = rating.cost
    if rating.cost is not None and rating.currency:
        base = rates.base(rating.cost, rating.currency, at)
        credit = rates.credits(rating.cost, rating.currency, at)
    amounts = {
        name: _decimal(value)
        for name, value in zip(_AMOUNTS, (rating.cost, base, credit), strict=True)
    }
    if charged is event:
        is_exact = _is_stored(event, rating, amounts)
    else:
        kept = revisions.get(place_of(charged), [])
        is_exact = _is_difference(event, rating.currency, amounts, kept)
    return Bill(
        event=event,
        charged=charged,
        rating=rating,
        lines=lines,
        base=amounts["cost_base"],
        credits=amounts["credits"],
        is_exact=is_exact,
        conversions=conversion_keys(rates, rating.currency, at) if rating.currency else (),
    )


def place_of(row: UsageEvent | CostRevision) -> tuple[bytes, date]:
    """Which event a row is, or is about: its key, and the month for a source that uses ids again."""
    return bytes(row.dedupe_key), row.month


def month_corrected(correction: UsageEvent) -> str:
    """The month of the event that a correction corrects, as accounting.services.corrections names it."""
    return correction.span_id.rpartition(" ")[2]


def _is_stored(event: UsageEvent, rating: Rating, amounts: Mapping[str, Decimal | None]) -> bool:
    return (
        event.currency == rating.currency
        and event.cost_state == rating.state
        and all(getattr(event, name) == amount for name, amount in amounts.items())
        and all(getattr(event, name) == _decimal(getattr(rating, name)) for name in _PARTS)
    )


def _is_difference(
    correction: UsageEvent,
    currency: str,
    amounts: Mapping[str, Decimal | None],
    revisions: Sequence[CostRevision],
) -> bool:
    """Whether a correction is what its run's prices come to, less what stood before."""
    run = correction.span_id.split()[1]
    mine = [revision for revision in revisions if str(revision.run_id) == run]
    for revision in mine:
        if correction.currency != currency:
            continue
        stood = {
            name: getattr(revision, f"old_{name}") if revision.old_currency == currency else None
            for name in _AMOUNTS
        }
        return all(
            getattr(correction, name)
            == (None if amount is None else amount - (stood[name] or Decimal(0)))
            for name, amount in amounts.items()
        )
    # The other half of a change of currency takes away what stood before.
    return any(
        all(
            getattr(correction, name) == (None if stood is None else -stood)
            for name, stood in ((name, getattr(revision, f"old_{name}")) for name in _AMOUNTS)
        )
        for revision in mine
    )


def _use(event: UsageEvent) -> Use:
    values: dict[str, Any] = {name: getattr(event, name) for name in _USE}
    counts: dict[str, Any] = {name: getattr(event, name) for name in COUNT_NAMES}
    others = tuple(sorted(event.other_units.items()))
    return Use(**values, counts=TokenCounts(**counts, other_units=others))


def _decimal(value: int | None) -> Decimal | None:
    return None if value is None else from_picos(value)
