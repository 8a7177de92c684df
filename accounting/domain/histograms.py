"""Percentiles of values that were only counted by logarithmic buckets 5 % wide."""

from collections.abc import Mapping
from math import ceil

#: Bucket n holds values from BASE ** n on, below BASE ** (n + 1); see LatencyDay.
BASE = 1.05


def percentile(counts: Mapping[int, int], percent: int) -> float | None:
    """The value that so many percent of the counted ones do not exceed; None of no values.

    By nearest rank, and from the middle of its bucket: at most 2.5 % beside the true value.
    """
    bucket = bucket_at(counts, percent)
    return None if bucket is None else middle(bucket)


def bucket_at(counts: Mapping[int, int], percent: int) -> int | None:
    """The bucket of the value that so many percent do not exceed, by nearest rank; None of no values."""
    total = sum(counts.values())
    if not total:
        return None
    rank = max(1, ceil(total * percent / 100))
    reached = 0
    for bucket in sorted(counts):
        reached += counts[bucket]
        if reached >= rank:
            return bucket
    raise AssertionError


def middle(bucket: int) -> float:
    """The value in the middle of a bucket, as far from its lower end as from its upper by factor."""
    return float(BASE ** (bucket + 0.5))
