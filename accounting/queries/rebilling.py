"""Computing the charge of an event that exists again, by the prices it was priced with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    revisions: Mapping[bytes, list[CostRevision]],
    books: Books,
) -> Bill:
    """Compute an event's charge again by the version it stores.

    corrected: the events that corrections correct, by the correction's key; revisions: what runs
    changed, by the key of the event.
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
    if charged is event:
        is_exact = _is_stored(event, rating)
    else:
        is_exact = _is_difference(event, rating, revisions.get(bytes(charged.dedupe_key), []))
    return Bill(
        event=event,
        charged=charged,
        rating=rating,
        lines=lines,
        base=_decimal(base),
        credits=_decimal(credit),
        is_exact=is_exact,
        conversions=conversion_keys(rates, rating.currency, at) if rating.currency else (),
    )


def _is_stored(event: UsageEvent, rating: Rating) -> bool:
    return (
        event.currency == rating.currency
        and event.cost_state == rating.state
        and all(
            getattr(event, name) == _decimal(getattr(rating, name)) for name in ("cost", *_PARTS)
        )
    )


def _is_difference(
    correction: UsageEvent, rating: Rating, revisions: Sequence[CostRevision]
) -> bool:
    """Whether a correction is what its run's prices come to, less what stood before."""
    run = correction.span_id.rpartition(" ")[2]
    for revision in revisions:
        if str(revision.run_id) != run or correction.currency != rating.currency:
            continue
        before = revision.old_cost if revision.old_currency == rating.currency else None
        due = (_decimal(rating.cost) or Decimal(0)) - (before or Decimal(0))
        return bool(correction.cost == due)
    # The other half of a change of currency takes away what stood before.
    return any(
        str(revision.run_id) == run and correction.cost == -(revision.old_cost or Decimal(0))
        for revision in revisions
    )


def _use(event: UsageEvent) -> Use:
    values: dict[str, Any] = {name: getattr(event, name) for name in _USE}
    counts: dict[str, Any] = {name: getattr(event, name) for name in COUNT_NAMES}
    others = tuple(sorted(event.other_units.items()))
    return Use(**values, counts=TokenCounts(**counts, other_units=others))


def _decimal(value: int | None) -> Decimal | None:
    return None if value is None else from_picos(value)
