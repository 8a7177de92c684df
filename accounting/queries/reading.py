"""How many requests a question would read one by one: too many are refused before they are read."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Sum

from accounting.domain.finishes import is_cut_by_length
from accounting.domain.periods import day_of
from accounting.models import UsageDayAttribute
from accounting.models.ledger import UNPRICED_STATES
from accounting.queries.choices import Choice
from accounting.queries.grammar import (
    EVERY,
    FIELDS,
    HOUR_DIMENSIONS,
    LATENCY_METRICS,
    LATENCY_NAMES,
    FilterError,
)
from accounting.queries.wanted import UsageFilter

#: The shortest time there is: before the end of a range is within it.
INSTANT = timedelta(microseconds=1)


def check_reading(wanted: UsageFilter, *, times: int = 1, is_of_latencies: bool = False) -> None:
    """Raise FilterError where more requests would be read than settings.MOST_REQUESTS_READ, if that is not 0.

    One statement, and that only where no rollup keeps what is asked. times: how often whoever asks reads
    them. is_of_latencies: whether the question is about latencies, whatever its metric.
    """
    most = settings.MOST_REQUESTS_READ
    if not most or not reads_requests(wanted, is_of_latencies=is_of_latencies):
        return
    found = times * _requests_of(wanted)
    if found > most:
        raise FilterError(
            "too_many_requests_read",
            f"{found:,} requests would be read one by one, at most {most:,}: "
            "ask for fewer days, or for what is kept by days",
            "from",
        )


def reads_requests(wanted: UsageFilter, *, is_of_latencies: bool = False) -> bool:
    """Whether neither sums nor an index tell what is asked, so that requests are read one by one."""
    if any(map(_has_index, wanted.choices)):
        return False
    names = {wanted.group, wanted.sub, *(choice.name for choice in wanted.choices)} - {""}
    if not names.isdisjoint(FIELDS):
        return True
    if is_of_latencies or wanted.metric in LATENCY_METRICS:
        return not names <= {*LATENCY_NAMES}
    return (wanted.bucket == "hour" or bool(wanted.tz)) and not names <= {*HOUR_DIMENSIONS}


def _has_index(choice: Choice) -> bool:
    """Whether an index holds few requests, among which are all that a choice lets pass."""
    if choice.relation != "is":
        return False
    if choice.name == "finish_reason":
        return all(map(is_cut_by_length, choice.values))
    if choice.name == "cost_state":
        return {*choice.values} <= {*UNPRICED_STATES}
    return choice.name == "session"


def _requests_of(wanted: UsageFilter) -> int:
    """How many rows the ledger has of the days of a filter, whatever its conditions. One statement."""
    first, last = (day_of(at, wanted.zone) for at in (wanted.starts_at, wanted.ends_at - INSTANT))
    days = UsageDayAttribute.objects.of(wanted.organization_id).filter(
        purpose=wanted.purpose, attribute=EVERY, day__gte=first, day__lte=last
    )
    found: int = days.aggregate(rows=Sum("parts", default=0))["rows"]
    return found
