"""The charge of a record: its rating by the books, in the organization's currency and credits too."""

from accounting.domain.errors import DomainError
from accounting.domain.ratebook import RateBook
from accounting.domain.usage import UsageRecord
from accounting.services.columns import Charge


def charge(record: UsageRecord, rates: RateBook) -> Charge:
    """What a record costs at the prices in force when it started.

    Raises BadCountError for counts that contradict each other and BadAmountError for a line or a
    total that the books cannot hold.
    """
    use, at = record.use, record.place.started_at
    rating = rates.rate(
        use,
        at,
        project_id=record.place.project_id,
        requests=1 if record.identity.part == 0 else 0,
    )
    cost, currency = rating.cost, rating.currency
    known = cost is not None and bool(currency)
    return Charge(
        state=rating.state,
        currency=currency,
        cost=cost,
        cost_input=rating.cost_input,
        cost_cache_read=rating.cost_cache_read,
        cost_cache_write=rating.cost_cache_write,
        cost_output=rating.cost_output,
        cost_other=rating.cost_other,
        cost_base=rates.base(cost, currency, at) if known and cost is not None else cost,
        credits=rates.credits(cost, currency, at) if known and cost is not None else cost,
        unpriced_tokens=rating.unpriced_tokens,
        price_version=rates.version,
        model=rating.model,
    )


def charge_or_unpriced(record: UsageRecord, rates: RateBook) -> Charge:
    """The charge, or an unpriced one where the record cannot be rated: visible, never a crash.

    For records that were rated once when they were read and have been merged or repriced since.
    """
    try:
        return charge(record, rates)
    except DomainError:
        counts = record.use.counts
        return Charge(
            state="unpriced",
            currency="",
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
            model=record.use.model,
        )
