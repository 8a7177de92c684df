"""What changed against the range before."""

from decimal import Decimal

import pytest
from django.utils import translation

from accounting.web.deltas import delta


@pytest.mark.parametrize(
    ("now", "before", "text", "spoken"),
    [
        (115, 100, "▲ +15.0 %", "up 15.0 % on the period before"),
        (Decimal("97.9"), Decimal(100), "▼ −2.1 %", "down 2.1 % on the period before"),
        (5, 5, "= 0 %", "as in the period before"),
        (1099, 100, "▲ +999.0 %", "up 999.0 % on the period before"),
        (1100, 100, "▲ 11×", "11 times the period before"),
        (3_000_000, 1, "▲ 3.00M×", "3.00M times the period before"),
    ],
)
def test_a_change_reads_in_an_arrow_and_in_words(now, before, text, spoken):
    found = delta(now, before)
    assert (found.text, found.spoken) == (text, spoken)


@pytest.mark.parametrize(("now", "before"), [(None, 1), (1, None), (1, 0)])
def test_without_something_to_compare_with_nothing_is_said(now, before):
    assert delta(now, before) is None


def test_no_change_reads_in_chinese():
    with translation.override("zh-hans"):
        same = delta(5, 5)
        assert (same.text, same.spoken) == ("= 0%", "与上一时段相同")
