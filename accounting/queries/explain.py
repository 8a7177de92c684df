"""Why a request costs what it costs: computed again, line by line, by the prices it was priced with."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from hashlib import blake2b

from accounting.domain.naming import dedupe_key
from accounting.domain.periods import month_of
from accounting.domain.rating import Line, Rating
from accounting.domain.usage import Identity
from accounting.models import CostRevision, Import, UsageEvent
from accounting.queries.explained_rates import (
    AppliedConversion,
    AppliedRate,
    applied_conversions,
    applied_rates,
)
from accounting.queries.filters import UsageFilter
from accounting.queries.rebilling import Bill, Books, bill_of, month_corrected, place_of
from accounting.queries.selection import conditions

#: How many events of a total are explained at most.
MOST_SAMPLES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedLine:
    """One unit of the bill with the rate that priced it; rate is None where none did."""

    line: Line
    rate: AppliedRate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedRevision:
    """What a repricing run changed; booked_at: where the difference was booked instead."""

    run_id: int
    cause: str
    old_cost: Decimal | None
    old_currency: str
    new_cost: Decimal | None
    new_currency: str
    booked_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """An event, its bill, and where both come from.

    lines: computed by price_version, the one that the event stores. is_exact: they come to the stored
    charge to the last digit. A correction shows the lines of the event it corrects, by the run's
    prices; corrects is that event's key, else ''.
    """

    event: UsageEvent
    rating: Rating | None
    lines: tuple[ExplainedLine, ...]
    cost_base: Decimal | None
    credits: Decimal | None
    is_exact: bool
    conversions: tuple[AppliedConversion, ...]
    source: Import | None
    revisions: tuple[ExplainedRevision, ...]
    corrects: str = ""


def event_of(
    organization_id: int, text: str, *, only_project_id: int | None = None
) -> UsageEvent | None:
    """The event with a key in hex, or whose response id this is; None where there is none.

    only_project_id: none either where it is charged to another project.
    """
    keys = [dedupe_key(organization_id, Identity(response_id=text))]
    if len(text) == 32 and not set(text.lower()) - set("0123456789abcdef"):
        keys.insert(0, bytes.fromhex(text))
    events = UsageEvent.objects.of(organization_id)
    if only_project_id is not None:
        events = events.filter(project_id=only_project_id)
    for key in keys:
        found = events.filter(dedupe_key=key).first()
        if found is not None:
            return found
    return None


def sampled(wanted: UsageFilter, count: int, seed: str = "") -> list[UsageEvent]:
    """So many events of a filter, each as likely as any other; the same for the same seed.

    Keys are digests: those that follow any point are a fair draw.
    """
    pivot = blake2b(seed.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    events = UsageEvent.objects.of(wanted.organization_id).filter(
        conditions(wanted),
        purpose=wanted.purpose,
        occurred_at__gte=wanted.starts_at,
        occurred_at__lt=wanted.ends_at,
        month__gte=month_of(wanted.starts_at),
        month__lte=month_of(wanted.ends_at),
    )
    ordered = events.order_by("dedupe_key", "month")
    found = list(ordered.filter(dedupe_key__gte=pivot)[:count])
    return found + list(ordered.filter(dedupe_key__lt=pivot)[: count - len(found)])


def explanations(organization_id: int, events: Iterable[UsageEvent]) -> list[Explanation]:
    """Explain events of one organization, in their order.

    Seven statements at most for all of them and what each earlier price version takes to load.
    """
    events = list(events)
    corrected = _corrected(organization_id, events)
    revisions = _revisions(organization_id, [*events, *corrected.values()])
    books = Books(organization_id)
    bills = [bill_of(event, corrected, revisions, books) for event in events]
    rates = applied_rates({line.rate_id for bill in bills for line in bill.lines if line.rate_id})
    conversions = applied_conversions({key for bill in bills for key in bill.conversions})
    sources = Import.objects.of(organization_id).in_bulk({event.import_id for event in events})
    return [
        _explained(
            bill,
            rates,
            tuple(conversions[key] for key in bill.conversions),
            sources.get(bill.event.import_id),
            revisions.get(place_of(bill.charged), []),
        )
        for bill in bills
    ]


def _explained(
    bill: Bill,
    rates: Mapping[int, AppliedRate],
    conversions: tuple[AppliedConversion, ...],
    source: Import | None,
    revisions: Sequence[CostRevision],
) -> Explanation:
    return Explanation(
        event=bill.event,
        rating=bill.rating,
        lines=tuple(
            ExplainedLine(line=line, rate=rates.get(line.rate_id) if line.rate_id else None)
            for line in bill.lines
        ),
        cost_base=bill.base,
        credits=bill.credits,
        is_exact=bill.is_exact,
        conversions=conversions,
        source=source,
        revisions=tuple(
            ExplainedRevision(
                run_id=revision.run_id,
                cause=revision.cause,
                old_cost=revision.old_cost,
                old_currency=revision.old_currency,
                new_cost=revision.new_cost,
                new_currency=revision.new_currency,
                booked_at=revision.correction_at,
            )
            for revision in revisions
        ),
        corrects="" if bill.charged is bill.event else bytes(bill.charged.dedupe_key).hex(),
    )


def _corrected(organization_id: int, events: Iterable[UsageEvent]) -> dict[bytes, UsageEvent]:
    """The events that corrections among these correct, by the correction's key."""
    wanted = {
        bytes(event.dedupe_key): (bytes.fromhex(event.trace_id), month_corrected(event))
        for event in events
        if event.operation == "correction"
    }
    keys = [key for key, _ in wanted.values()]
    found = UsageEvent.objects.of(organization_id).filter(dedupe_key__in=keys) if keys else ()
    by_place = {(bytes(event.dedupe_key), f"{event.month:%Y-%m}"): event for event in found}
    return {key: by_place[place] for key, place in wanted.items() if place in by_place}


def _revisions(
    organization_id: int, events: Iterable[UsageEvent]
) -> dict[tuple[bytes, date], list[CostRevision]]:
    """What standing runs changed for these events, the first first, by their places."""
    found: dict[tuple[bytes, date], list[CostRevision]] = {}
    rows = CostRevision.objects.of(organization_id).filter(
        dedupe_key__in=[bytes(event.dedupe_key) for event in events],
        run__state__in=["applying", "applied"],
    )
    for row in rows.order_by("pk"):
        found.setdefault(place_of(row), []).append(row)
    return found
