"""What the tests of reports share."""

from ingest.formats.base import Aggregated
from tests.formats.reading import read_sample

COUNTS = (
    "requests",
    "input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
)


def rows(name):
    """The aggregates of a golden sample; of two with one fingerprint the last."""
    told = [a for o in read_sample(name) if isinstance(o, Aggregated) for a in o.aggregates]
    return list({a.fingerprint: a for a in told}.values())


def summed(aggregates, *names):
    """Sums by name; None where nobody tells a count."""
    found = []
    for name in names or COUNTS:
        known = [n for a in aggregates if (n := getattr(a, name)) is not None]
        found.append(sum(known) if known else None)
    return tuple(found)
