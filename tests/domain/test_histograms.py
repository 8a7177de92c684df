"""Percentiles of values counted by buckets five percent wide."""

import pytest

from accounting.domain.histograms import middle, percentile


@pytest.mark.parametrize(
    ("counts", "percent", "bucket"),
    [
        # By nearest rank: of ten the fifth, the ninth, the tenth.
        ({0: 5, 7: 4, 40: 1}, 50, 0),
        ({0: 5, 7: 4, 40: 1}, 51, 7),
        ({0: 5, 7: 4, 40: 1}, 90, 7),
        ({0: 5, 7: 4, 40: 1}, 91, 40),
        ({0: 5, 7: 4, 40: 1}, 100, 40),
        ({0: 5, 7: 4, 40: 1}, 0, 0),
        ({40: 1, 7: 4, 0: 5}, 60, 7),
        ({0: 499, 7: 501}, 50, 7),
        ({-3: 1}, 99, -3),
    ],
)
def test_a_percentile_is_the_bucket_that_its_rank_falls_into(counts, percent, bucket):
    assert percentile(counts, percent) == middle(bucket)


def test_of_no_values_there_is_none():
    assert percentile({}, 50) is None
    assert percentile({3: 0}, 50) is None


def test_a_bucket_stands_for_its_middle():
    # The root of 1.05, and 105 % of it.
    assert middle(0) == pytest.approx(1.024695076595960)
    assert middle(1) == pytest.approx(1.075929830425758)
    assert middle(-1) == pytest.approx(0.975900072948533)
