"""Repricing runs: started, applied and undone by a person; each is then carried on in chunks.

A run states by which price version it rates, so that its dry run and its application agree
whenever they happen. What must be done next stands in the run; who does it may die at any time.
"""

from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from accounting.domain.errors import DomainError
from accounting.models import CostRevision, Organization, RepriceRun
from accounting.queries.filters import UsageFilter
from accounting.queries.prices import loaded_rates
from accounting.services.closed_months import CHANGING, MonthClosedError, closed_calendar
from accounting.services.locks import SHARDS, lock_shards
from accounting.services.reprice_selection import events_of

# Uses the index of revisions by run, and the unique one by key.
LATER_RUN = """
    SELECT later.run_id
    FROM accounting_costrevision AS mine
    JOIN accounting_costrevision AS later
      ON later.organization_id = mine.organization_id
     AND later.dedupe_key = mine.dedupe_key
     AND later.month = mine.month
     AND later.run_id = ANY(%(runs)s)
    WHERE mine.run_id = %(run)s
    LIMIT 1
"""


class RepricingStateError(DomainError):
    """A run is not in the state that is asked to be changed."""

    code = "repricing_state"


class RepricingBusyError(DomainError):
    """Another run is changing the books, or has changed the same events since."""

    code = "repricing_busy"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """A run whose chunks are to be done now: by `carry_on`, or by the task after the commit."""

    run_id: int
    state: str


def draft_run(*, wanted: UsageFilter, user_id: int | None = None) -> RunStarted:
    """Start a dry run over what a filter means, by the newest prices; it changes no event."""
    with transaction.atomic():
        run = RepriceRun.objects.create(
            organization_id=wanted.organization_id,
            starts_at=wanted.starts_at,
            ends_at=wanted.ends_at,
            purpose=wanted.purpose,
            choices=[
                {"name": c.name, "relation": c.relation, "values": list(c.values)}
                for c in wanted.choices
            ],
            price_version=loaded_rates(wanted.organization_id).version,
            created_by_id=user_id,
        )
        run.total = events_of(run).count()
        run.save(update_fields=["total"])
        return RunStarted(run_id=run.pk, state=run.state)


def apply_run(*, organization_id: int, run_id: int) -> RunStarted:
    """Start changing what a dry run found; of a run that is applied already, nothing.

    Raises RepricingStateError where it is not drafted, RepricingBusyError while another changes the
    books.
    """
    with transaction.atomic():
        run = _locked(organization_id, run_id)
        if run.state == "drafted":
            _begin(run, "applying", outcome={}, total=run.draft.get("events", 0))
        elif run.state not in {"applying", "applied"}:
            raise RepricingStateError(
                f"repricing {run_id} is {run.state}: only a drafted one applies"
            )
        return RunStarted(run_id=run.pk, state=run.state)


def undo_run(*, organization_id: int, run_id: int) -> RunStarted:
    """Start putting back every charge that a run changed, also of one that is not through.

    Raises RepricingStateError where it changed nothing yet, RepricingBusyError where a later run
    changed one of its events, MonthClosedError where a closed month would change.
    """
    with transaction.atomic():
        run = _locked(organization_id, run_id)
        if run.state in {"applying", "applied"}:
            # First the locks, then the looking: prices that are being filled in add to a run, and
            # who closes a month holds these alone. No month is closed while a run is undoing.
            lock_shards(organization_id, dict.fromkeys(range(SHARDS), False))
            _refuse_after_later_run(run)
            _refuse_in_closed_months(run)
            revisions = CostRevision.objects.of(organization_id).filter(run=run).count()
            _begin(run, "undoing", kept=0, total=revisions)
        elif run.state not in {"undoing", "undone"}:
            raise RepricingStateError(f"repricing {run_id} is {run.state}: it changed nothing")
        return RunStarted(run_id=run.pk, state=run.state)


def _locked(organization_id: int, run_id: int) -> RepriceRun:
    """The run, alone among all beginnings of its organization."""
    Organization.objects.select_for_update(no_key=True).get(pk=organization_id)
    run = RepriceRun.objects.of(organization_id).select_for_update().filter(pk=run_id).first()
    if run is None:
        raise RepricingStateError(f"there is no repricing {run_id}")
    return run


def _begin(run: RepriceRun, state: str, **values: Any) -> None:
    busy = RepriceRun.objects.of(run.organization_id).filter(state__in=CHANGING)
    other = busy.exclude(pk=run.pk).first()
    if other is not None:
        raise RepricingBusyError(f"repricing {other.pk} is {other.state}: wait until it is done")
    if state == "applying":
        # Who closes a month holds these alone and looks for running ones.
        lock_shards(run.organization_id, dict.fromkeys(range(SHARDS), False))
        values["applied_at"] = timezone.now()
    run.state, run.done = state, 0
    run.cursor_at, run.cursor_key, run.cursor_id = None, b"", 0
    for name, value in values.items():
        setattr(run, name, value)
    run.save()


def _refuse_after_later_run(run: RepriceRun) -> None:
    later = RepriceRun.objects.of(run.organization_id).filter(
        applied_at__gt=run.applied_at, state__in=["applying", "applied", "undoing"]
    )
    runs = list(later.values_list("pk", flat=True))
    if not runs:
        return
    with connection.cursor() as cursor:
        cursor.execute(LATER_RUN, {"run": run.pk, "runs": runs})
        found = cursor.fetchone()
    if found:
        raise RepricingBusyError(
            f"repricing {found[0]} changed the same events after {run.pk}: undo it first"
        )


def _refuse_in_closed_months(run: RepriceRun) -> None:
    calendar = closed_calendar(run.organization)
    revisions = CostRevision.objects.of(run.organization_id).filter(run=run)
    for month in sorted(calendar.months):
        start, end = calendar.span(month)
        changed = revisions.filter(correction_at=None, occurred_at__gte=start, occurred_at__lt=end)
        booked = revisions.filter(correction_at__gte=start, correction_at__lt=end)
        if changed.exists() or booked.exists():
            raise MonthClosedError(
                f"{month:%Y-%m} is closed and repricing {run.pk} changed it: open it first"
            )
