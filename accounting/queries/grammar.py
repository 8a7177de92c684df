"""The words of the filter's grammar: what an address may say, and what it may not."""

from accounting.domain import ranges
from accounting.domain.usage import PURPOSES

#: Dimensions that the hourly rollup keeps.
HOUR_DIMENSIONS = ("model", "provider", "project", "key", "user", "source", "status")
#: Those of them that the daily rollup keeps too.
DAY_DIMENSIONS = ("model", "provider", "project", "source", "status")
#: Those that days keep apart, each by itself, beside the status.
CALLERS = ("user", "key", "project")
#: Dimensions that the daily rollup of attributes keeps, each by itself, beside each tag key.
ATTRIBUTES = ("team", "agent", "environment", "service_tier", "cost_center")
#: An attribute's days hold every row of the ledger once, whatever it is tagged with. Service tiers are
#: few, so that these are the fewest rows by model, provider and status that there are.
EVERY = "service_tier"
#: What rows can be grouped and filtered by; tags too, as tag:<key>.
DIMENSIONS = (*HOUR_DIMENSIONS, *ATTRIBUTES)
#: What rows can be filtered by only: columns of single requests.
FIELDS = (
    "session",
    "operation",
    "region",
    "finish_reason",
    "error_type",
    "error_origin",
    "cost_state",
    "usage_state",
)
TAG = "tag:"
#: How the rollup, filters and answers name the value of what has none; other dimensions say ''.
NONE = "none"
METRICS = (
    "cost",
    "credits",
    "requests",
    "errors",
    "error_rate",
    "input_tokens",
    "uncached_input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
    "input_output_ratio",
    "cache_read_output_ratio",
    "cache_hit_rate",
    "unpriced_requests",
    "unpriced_tokens",
)
#: How long requests took: until the first token, for each token after it, and until the end.
LATENCIES = ("ttft", "tpot", "duration")
#: What their histograms keep beside their time.
LATENCY_NAMES = ("model", "provider")
LATENCY_PERCENTS = (50, 95, 99)
#: Metrics of latencies, which only Explore draws -> which latency, and which percentile of it.
LATENCY_METRICS = {
    f"{kind}_p{percent}": (kind, percent) for kind in LATENCIES for percent in LATENCY_PERCENTS
}
COMPARISONS = ("prev", "yoy", "none")
#: Behind a name: '' is, '!' is not, '~' contains.
RELATIONS = {"": "is", "!": "is_not", "~": "contains"}
MARKS = {relation: mark for mark, relation in RELATIONS.items()}
#: Parameters of one value -> the words that are allowed ('' stands for leaving it out).
WORDS: dict[str, tuple[str, ...]] = {
    "range": ranges.RANGES,
    "group": DIMENSIONS,
    "sub": DIMENSIONS,
    "bucket": ranges.BUCKETS,
    "metric": METRICS,
    "compare": COMPARISONS,
    "weekday": ("1",),
    "purpose": PURPOSES,
}
DAYS = ("from", "to")
ZONE = "tz"
#: Parameters with a name of their own; conditions are named by what they are about.
PARAMETERS = (*DAYS, ZONE, *WORDS)
MOST_POINTS = 10_000
MOST_VALUES = 100
LONGEST_VALUE = 200


class FilterError(ValueError):
    """A parameter that can't be answered.

    code: a stable word for programs. parameter: which one. The message is for people.
    """

    def __init__(self, code: str, reason: str, parameter: str = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.parameter = parameter


def is_dimension(name: str) -> bool:
    """Whether rows can be grouped by it: one of DIMENSIONS, or a tag key."""
    return name in DIMENSIONS or bool(tag_of(name))


def is_attribute(name: str) -> bool:
    """Whether the daily rollup keeps it; what has no value is then called 'none'."""
    return name in ATTRIBUTES or bool(tag_of(name))


def tag_of(name: str) -> str:
    """The key of a tag dimension, '' for every other name."""
    key = name.removeprefix(TAG)
    return key if key != name and len(key) <= LONGEST_VALUE and "\0" not in key else ""
