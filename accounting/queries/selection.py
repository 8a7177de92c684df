"""A filter as conditions on tables, and the rows of each table that it means."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.expressions import Combinable
from django.db.models.lookups import IContains, In

from accounting.domain.finishes import is_cut_by_length
from accounting.domain.periods import day_start, month_of, next_month
from accounting.models import (
    ApiKey,
    Project,
    SessionTotal,
    SessionUse,
    SessionWhole,
    UsageEvent,
    UsageHour,
)
from accounting.models.endings import CutByLength
from accounting.queries.filters import Choice, UsageFilter
from accounting.queries.grammar import is_dimension
from accounting.queries.keys import Key, event_key, hour_key


def is_of_days(wanted: UsageFilter) -> bool:
    """Whether whole days of the organization's zone are asked for, and nothing shorter."""
    return (
        wanted.bucket != "hour"
        and not wanted.tz
        and wanted.starts_at == day_start(wanted.start, wanted.zone)
        and wanted.ends_at == day_start(wanted.end, wanted.zone)
    )


def hours_between(wanted: UsageFilter, start: datetime, end: datetime) -> QuerySet[UsageHour]:
    """The hourly rollup rows of a span; KeyError for conditions that hours don't keep."""
    return UsageHour.objects.of(wanted.organization_id).filter(
        conditions(wanted, hour_key),
        purpose=wanted.purpose,
        hour__gte=start,
        hour__lt=end,
    )


def events_of(wanted: UsageFilter) -> QuerySet[UsageEvent]:
    """The ledger rows that a filter means. Uses index usageevent_organization_time."""
    return events_between(wanted, wanted.starts_at, wanted.ends_at).filter(conditions(wanted))


def events_between(wanted: UsageFilter, start: datetime, end: datetime) -> QuerySet[UsageEvent]:
    """The ledger rows of a span and the filter's purpose, whatever its conditions."""
    return UsageEvent.objects.of(wanted.organization_id).filter(
        purpose=wanted.purpose,
        occurred_at__gte=start,
        occurred_at__lt=end,
        month__gte=month_of(start),
        month__lte=month_of(end),
    )


def sessions_of(wanted: UsageFilter) -> QuerySet[SessionWhole]:
    """The sessions that started in the range. Uses index sessionwhole_by_start.

    Filters pick sessions in which such a request occurs; the sums stay those of the whole session.
    Whoever may see one project only sees no session that used another one too: its sums would tell of
    that.
    """
    found = SessionWhole.objects.of(wanted.organization_id).filter(
        purpose=wanted.purpose, started_at__gte=wanted.starts_at, started_at__lt=wanted.ends_at
    )
    if wanted.choices:
        found = found.filter(Exists(_matching(wanted)))
    if wanted.only:
        found = found.filter(~Exists(_uses_elsewhere(wanted)))
    return found


def session_sums_of(wanted: UsageFilter) -> QuerySet[SessionTotal]:
    """The same sessions' sums: a row for each currency of each."""
    return SessionTotal.objects.of(wanted.organization_id).filter(
        purpose=wanted.purpose, session_id__in=sessions_of(wanted).values("session_id")
    )


def conditions(wanted: UsageFilter, key: Key = event_key) -> Q:
    """All choices of a filter at once. key: how the table is asked; the ledger unless given."""
    condition = Q()
    for choice in wanted.choices:
        condition &= condition_on(choice, wanted.organization_id, key(choice.name))
    return condition


def condition_on(choice: Choice, organization_id: int, value: Combinable) -> Q:
    """One choice about an expression's value, which is never NULL."""
    if choice.relation == "contains":
        return _containing(choice, organization_id, value)
    named = [one for one in choice.values if one]
    if choice.name == "project":
        projects = Project.objects.of(organization_id).filter(slug__in=named)
        condition = Q(In(value, projects.values("id")))
    elif choice.name == "key":
        keys = ApiKey.objects.of(organization_id).filter(name__in=named)
        condition = Q(In(value, keys.values("id")))
        if "" in choice.values:
            condition |= Q(In(value, [0]))
    else:
        condition = Q(In(value, choice.values))
    if choice.name == "finish_reason" and all(map(is_cut_by_length, choice.values)):
        condition &= Q(CutByLength("finish_reason"))  # so that index usageevent_cut is found
    return ~condition if choice.relation == "is_not" else condition


def _containing(choice: Choice, organization_id: int, value: Combinable) -> Q:
    condition = Q(pk__in=[])
    for text in choice.values:
        if choice.name == "project":
            projects = Project.objects.of(organization_id).filter(
                Q(slug__icontains=text) | Q(name__icontains=text)
            )
            condition |= Q(In(value, projects.values("id")))
        elif choice.name == "key":
            keys = ApiKey.objects.of(organization_id).filter(name__icontains=text)
            condition |= Q(In(value, keys.values("id")))
        else:
            condition |= Q(IContains(value, text))
    return condition


def _matching(wanted: UsageFilter) -> QuerySet[SessionUse] | QuerySet[UsageEvent]:
    """What a session has of a filter; only conditions on single requests are looked for in events."""
    if all(is_dimension(choice.name) for choice in wanted.choices):
        return _uses_of_session(wanted).filter(conditions(wanted))
    return _events_of_session(wanted).filter(conditions(wanted))


def _uses_elsewhere(wanted: UsageFilter) -> QuerySet[SessionUse]:
    own = Project.objects.of(wanted.organization_id).filter(slug=wanted.only)
    return _uses_of_session(wanted).exclude(project_id__in=own.values("id"))


def _uses_of_session(wanted: UsageFilter) -> QuerySet[SessionUse]:
    return SessionUse.objects.of(wanted.organization_id).filter(
        session_id=OuterRef("session_id"), purpose=wanted.purpose
    )


def _events_of_session(wanted: UsageFilter) -> QuerySet[UsageEvent]:
    last = next_month(month_of(max(wanted.now, wanted.ends_at)))
    return UsageEvent.objects.of(wanted.organization_id).filter(
        session_id=OuterRef("session_id"),
        purpose=wanted.purpose,
        occurred_at__gte=wanted.starts_at,
        month__gte=month_of(wanted.starts_at),
        month__lte=last,
    )
