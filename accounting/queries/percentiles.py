"""Exact percentiles of a column, for what few rows tell."""

from django.db.models import Aggregate


class Percentile(Aggregate):
    """The value at a share of a column's known values, interpolated; NULL of none."""

    function = "percentile_cont"
    template = "%(function)s(%(share)s) WITHIN GROUP (ORDER BY %(expressions)s)%(filter)s"
