"""The charge of a record: its rating by the books, in the organization's currency and credits too."""

from datetime import datetime

from accounting.domain.errors import DomainError
from accounting.domain.ratebook import RateBook
from accounting.domain.usage import UsageRecord, Use
from accounting.services.charged_events import ChargedEvent
from accounting.services.columns import Charge


def charge(record: UsageRecord, rates: RateBook) -> Charge:
    """What a record costs at the prices in force when it started.

    Raises BadCountError for counts that contradict each other and BadAmountError for a line or a
    total that the books cannot hold.
    """
    place = record.place
    return _charge(record.use, place.started_at, place.project_id, record.identity.part, rates)


def charge_or_unpriced(record: UsageRecord, rates: RateBook) -> Charge:
    """The charge, or an unpriced one where the record cannot be rated: visible, never a crash.

    For records that were rated once when they were read and have been merged since.
    """
    place = record.place
    return _or_unpriced(record.use, place.started_at, place.project_id, record.identity.part, rates)


def charge_of_event(event: ChargedEvent, rates: RateBook) -> Charge:
    """The same of an event that exists."""
    return _or_unpriced(event.use, event.at, event.project_id, event.part, rates)


def _or_unpriced(
    use: Use, at: datetime, project_id: int | None, part: int, rates: RateBook
) -> Charge:
    try:
        return _charge(use, at, project_id, part, rates)
    except DomainError:
        counts = use.counts
        return Charge(
            model=use.model,
            currency="",
            state="unpriced",
            cost=None,
            cost_input=None,
            cost_cache_read=None,
            cost_cache_write=None,
            cost_output=None,
            cost_other=None,
            cost_base=None,
            credits=None,
            unpriced_tokens=(counts.input_tokens or 0) + (counts.output_tokens or 0),
            price_version=rates.version,
        )


def _charge(use: Use, at: datetime, project_id: int | None, part: int, rates: RateBook) -> Charge:
    rating = rates.rate(use, at, project_id=project_id, requests=1 if part == 0 else 0)
    cost, currency = rating.cost, rating.currency
    base = credit = cost
    if cost is not None and currency:
        base = rates.base(cost, currency, at)
        credit = rates.credits(cost, currency, at)
    # By position, in the order of Charge: by name it takes twice as long, and every event passes here.
    return Charge(
        rating.model,
        currency,
        rating.state,
        cost,
        rating.cost_input,
        rating.cost_cache_read,
        rating.cost_cache_write,
        rating.cost_output,
        rating.cost_other,
        base,
        credit,
        rating.unpriced_tokens,
        rates.version,
    )
