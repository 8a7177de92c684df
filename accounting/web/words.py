"""What dimensions, metrics, buckets and comparisons are called on a page."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from accounting.queries import grammar
from accounting.queries.grammar import NONE, tag_of

DIMENSIONS: Mapping[str, Promise] = {
    "model": gettext_lazy("Model"),
    "provider": gettext_lazy("Provider"),
    "project": gettext_lazy("Project"),
    "key": gettext_lazy("API key"),
    "user": gettext_lazy("User"),
    "source": gettext_lazy("Source"),
    "status": gettext_lazy("Status"),
    "team": gettext_lazy("Team"),
    "agent": gettext_lazy("Agent"),
    "environment": gettext_lazy("Environment"),
    "service_tier": gettext_lazy("Service tier"),
    "cost_center": gettext_lazy("Cost centre"),
}
#: What can only be filtered by.
FIELDS: Mapping[str, Promise] = {
    "session": gettext_lazy("Session"),
    "operation": gettext_lazy("Operation"),
    "region": gettext_lazy("Region"),
    "finish_reason": gettext_lazy("Finish reason"),
    "error_type": gettext_lazy("Error"),
    "error_origin": gettext_lazy("Error came from"),
    "cost_state": gettext_lazy("Cost is"),
    "usage_state": gettext_lazy("Usage is"),
}
METRICS: Mapping[str, Promise] = {
    "cost": gettext_lazy("Spend"),
    "credits": gettext_lazy("Credits"),
    "requests": gettext_lazy("Requests"),
    "errors": gettext_lazy("Failed requests"),
    "error_rate": gettext_lazy("Error rate"),
    "input_tokens": gettext_lazy("Input tokens"),
    "uncached_input_tokens": gettext_lazy("Uncached input tokens"),
    "cache_read_input_tokens": gettext_lazy("Cached input tokens"),
    "cache_write_input_tokens": gettext_lazy("Cache write tokens"),
    "output_tokens": gettext_lazy("Output tokens"),
    "reasoning_output_tokens": gettext_lazy("Reasoning tokens"),
    "input_output_ratio": gettext_lazy("In : out"),
    "cache_read_output_ratio": gettext_lazy("Cached : out"),
    "cache_hit_rate": gettext_lazy("Cache hit rate"),
    "unpriced_requests": gettext_lazy("Unpriced requests"),
    "unpriced_tokens": gettext_lazy("Unpriced tokens"),
}
LATENCIES: Mapping[str, Promise] = {
    "ttft": gettext_lazy("Time to first token"),
    "tpot": gettext_lazy("Time per output token"),
    "duration": gettext_lazy("Duration of a request"),
}
#: What Explore draws besides METRICS.
LATENCY_METRICS: Mapping[str, Promise] = {
    metric: format_lazy("{kind}, p{percent}", kind=LATENCIES[kind], percent=percent)
    for metric, (kind, percent) in grammar.LATENCY_METRICS.items()
}
BUCKETS: Mapping[str, Promise] = {
    "hour": pgettext_lazy("bucket", "Hours"),
    "day": pgettext_lazy("bucket", "Days"),
    "week": pgettext_lazy("bucket", "Weeks"),
    "month": pgettext_lazy("bucket", "Months"),
}
COMPARISONS: Mapping[str, Promise] = {
    "prev": gettext_lazy("The period before"),
    "yoy": gettext_lazy("A year before"),
    "none": gettext_lazy("Nothing"),
}
RELATIONS: Mapping[str, Promise] = {
    "": gettext_lazy("is"),
    "!": gettext_lazy("is not"),
    "~": gettext_lazy("contains"),
}


def member(text: str) -> str:
    """A value of a dimension as a page shows it; what the books call none, in the reader's language."""
    return pgettext("what has no team, tag or the like", "none") if text == NONE else text


def dimension(name: str) -> str:
    """What a dimension or a field of conditions is called; a tag by its own key."""
    key = tag_of(name)
    if key:
        return _("Tag %(key)s") % {"key": key}
    return str(DIMENSIONS.get(name) or FIELDS.get(name) or name)
