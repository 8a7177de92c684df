"""What charts draw is what tables say: a metric by itself is the one that all sums make."""

from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.queries.exploring import explore
from accounting.queries.grammar import METRICS
from accounting.queries.points import SUMS_OF, amounts_of, usage_points
from accounting.queries.totals import AMOUNT_COLUMNS, COUNT_COLUMNS, totals_of
from tests.queries.asking import wanted
from tests.queries.posted import NOON, posted, priced_organization

sums = st.fixed_dictionaries(
    {name: st.integers(0, 3) for name in COUNT_COLUMNS}
    | {name: st.integers(0, 9).map(Decimal) for name in AMOUNT_COLUMNS}
)


def known(row):
    """Nothing is known of a kind that nobody reported, so its sum is 0."""
    kinds = [name for name in row if name.replace("sum_", "sum_known_") in row]
    return row | {name: row[name] * bool(row[name.replace("sum_", "sum_known_")]) for name in kinds}


@pytest.mark.parametrize("metric", METRICS)
@given(st.dictionaries(st.sampled_from(["", "CNY", "USD"]), sums, min_size=1))
def test_a_metric_of_its_few_sums_is_that_of_all(metric, by_currency):
    rows = [{"currency": code, **known(row)} for code, row in sorted(by_currency.items())]
    few = {"currency", *(f"sum_{name}" for name in SUMS_OF[metric])}
    found = amounts_of([{n: v for n, v in row.items() if n in few} for row in rows], metric)
    totals = totals_of(rows)
    if metric == "cost":
        assert found == tuple((cost.currency, cost.amount) for cost in totals.costs)
    else:
        value = getattr(totals, metric)
        assert found == (() if value is None else (("", value),))


@pytest.mark.django_db
def test_points_by_day_and_project_with_the_names_that_are_known(django_assert_num_queries):
    organization = priced_organization()
    posted(organization, {}, {"status": "error"})
    posted(organization, {"output_tokens": 10}, at=NOON + timedelta(1))
    asked = wanted(organization, group="project", bucket="day", metric="output_tokens")
    with django_assert_num_queries(2):
        looked_up = usage_points(asked)
    (project,) = {point.key[0]: point.group for point in looked_up}.items()
    with django_assert_num_queries(1):
        assert usage_points(asked, dict([project])) == looked_up
    assert [(p.bucket.day, p.group.value, p.amounts[0][1]) for p in looked_up][1:] == [
        (2, "default", 10)
    ]


@pytest.mark.django_db
def test_hours_of_an_attribute_are_slow_though_its_table_is_not():
    organization = priced_organization()
    posted(organization, {"place": {"team": "red"}})
    hourly = explore(wanted(organization, group="team", bucket="hour"))
    daily = explore(wanted(organization, group="team", bucket="day"))
    assert (hourly.is_slow, daily.is_slow) == (True, False)
    assert [point.amounts for point in hourly.points] == [point.amounts for point in daily.points]
