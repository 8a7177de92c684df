"""The tag keys that a filter's usage bears."""

from django.db.models import F, Func, TextField

from accounting.models import UsageDayAttribute
from accounting.queries.filters import UsageFilter
from accounting.queries.grammar import TAG
from accounting.queries.selection import events_of

#: However many there are, so many are told.
MOST_TAGS = 1_000


def tag_keys(wanted: UsageFilter) -> tuple[str, ...]:
    """The first MOST_TAGS tag keys of the range, in order. One statement.

    Of the whole organization, whatever the conditions, from the days that the rollup keeps; of one
    project, where no more may be seen, from its events.
    """
    if wanted.only:
        tags = (
            events_of(wanted)
            .annotate(tag=Func(F("tags"), function="jsonb_object_keys", output_field=TextField()))
            .order_by("tag")
            .values_list("tag", flat=True)
            .distinct()
        )
        return tuple(tags[:MOST_TAGS])
    names = (
        UsageDayAttribute.objects.of(wanted.organization_id)
        .filter(
            attribute__startswith=TAG,
            purpose=wanted.purpose,
            day__gte=wanted.start,
            day__lt=wanted.end,
        )
        .order_by("attribute")
        .values_list("attribute", flat=True)
        .distinct()
    )
    return tuple(name.removeprefix(TAG) for name in names[:MOST_TAGS])
