"""A filter as conditions on tables: the only place that turns names of the grammar into columns."""

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.expressions import Combinable
from django.db.models.fields import DateField
from django.db.models.functions import Coalesce, Trunc

from accounting.domain.periods import month_of, next_month
from accounting.models import ApiKey, Project, SessionTotal, UsageEvent, UsageHour
from accounting.queries.filters import Choice, UsageFilter

#: Dimension -> the column that UsageHour and UsageEvent both have.
COLUMNS = {
    "model": "model",
    "provider": "provider",
    "project": "project_id",
    "key": "api_key_id",
    "user": "user_id",
    "source": "source",
    "status": "status",
}


def hours_of(wanted: UsageFilter) -> QuerySet[UsageHour]:
    """The hourly rollup rows that a filter means."""
    return UsageHour.objects.of(wanted.organization_id).filter(
        conditions(wanted),
        purpose=wanted.purpose,
        hour__gte=wanted.starts_at,
        hour__lt=wanted.ends_at,
    )


def sessions_of(wanted: UsageFilter) -> QuerySet[SessionTotal]:
    """Every currency's row of the sessions that started in the range.

    A session has a row for each currency and belongs where the first of them started. Filters pick
    sessions in which such a request occurs; the sums stay those of the whole session.
    """
    rows = SessionTotal.objects.of(wanted.organization_id).filter(purpose=wanted.purpose)
    same = rows.filter(session_id=OuterRef("session_id"))
    started = same.filter(started_at__gte=wanted.starts_at, started_at__lt=wanted.ends_at)
    if wanted.choices:
        started = started.filter(Exists(_matching_events(wanted)))
    # Probes of the unique index, one session each: right from the first row on, before the planner
    # has statistics, where IN over a grouped subquery is not.
    return rows.filter(
        Exists(started), ~Exists(same.filter(started_at__lt=wanted.starts_at))
    ).exclude(session_id="")


def conditions(wanted: UsageFilter) -> Q:
    """All choices of a filter at once."""
    condition = Q()
    for choice in wanted.choices:
        condition &= _condition(choice, wanted.organization_id)
    return condition


def group_key(dimension: str) -> Combinable:
    """What rows are grouped by: the column's value; keys that are missing are 0."""
    column = COLUMNS[dimension]
    return Coalesce(F(column), 0) if dimension == "key" else F(column)


def bucket_key(wanted: UsageFilter) -> Combinable:
    """The start of the bucket an hour lies in: the hour itself, or a local day."""
    if wanted.bucket == "hour":
        return F("hour")
    return Trunc("hour", wanted.bucket, output_field=DateField(), tzinfo=wanted.zone)


def _condition(choice: Choice, organization_id: int) -> Q:
    column = COLUMNS[choice.name]
    if choice.relation == "contains":
        return _containing(choice, column, organization_id)
    named = [value for value in choice.values if value]
    if choice.name == "project":
        projects = Project.objects.of(organization_id).filter(slug__in=named)
        condition = Q(project_id__in=projects.values("id"))
    elif choice.name == "key":
        keys = ApiKey.objects.of(organization_id).filter(name__in=named)
        condition = Q(api_key_id__in=keys.values("id"))
        if "" in choice.values:
            condition |= Q(api_key_id__isnull=True)
    else:
        condition = Q(**{f"{column}__in": choice.values})
    return ~condition if choice.relation == "is_not" else condition


def _containing(choice: Choice, column: str, organization_id: int) -> Q:
    condition = Q(pk__in=[])
    for value in choice.values:
        if choice.name == "project":
            projects = Project.objects.of(organization_id).filter(
                Q(slug__icontains=value) | Q(name__icontains=value)
            )
            condition |= Q(project_id__in=projects.values("id"))
        elif choice.name == "key":
            keys = ApiKey.objects.of(organization_id).filter(name__icontains=value)
            condition |= Q(api_key_id__in=keys.values("id"))
        else:
            condition |= Q(**{f"{column}__icontains": value})
    return condition


def _matching_events(wanted: UsageFilter) -> QuerySet[UsageEvent]:
    last = next_month(month_of(max(wanted.now, wanted.ends_at)))
    return UsageEvent.objects.of(wanted.organization_id).filter(
        conditions(wanted),
        session_id=OuterRef("session_id"),
        purpose=wanted.purpose,
        month__gte=month_of(wanted.starts_at),
        month__lte=last,
    )
