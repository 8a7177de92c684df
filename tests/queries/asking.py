"""Filters for tests."""

from datetime import datetime

from accounting.queries.filters import METRICS, usage_filter

NOW = datetime.fromisoformat("2026-10-03T09:30Z")
OCTOBER = {"from": ["2026-10-01"], "to": ["2026-11-01"]}


def at(text):
    return datetime.fromisoformat(text)


def wanted(organization, now=NOW, metrics=METRICS, **params):
    """The filter of these parameters; October 2026 unless a range is given."""
    lists = {n: v if isinstance(v, list) else [v] for n, v in params.items()}
    if not {"from", "range"} & lists.keys():
        lists |= OCTOBER
    return usage_filter(lists, organization, now, metrics=metrics)
