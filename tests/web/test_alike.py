"""Amounts that stand in one column have one number of decimals."""

from decimal import Decimal

import pytest

from accounting.web import formatting
from accounting.web.alike import decimals_of


@pytest.mark.parametrize(
    ("amounts", "shown"),
    [
        (["12.73", "1.16"], ["12.73", "1.16"]),
        (["12.73", "0.6036", "0.09098", "0"], ["12.7300", "0.6036", "0.0910", "0.0000"]),
        (["1.5", "0.00001", "-0.5"], ["1.5000", "<0.0001", "−0.5000"]),
        (["0.0021345", "0.000021"], ["0.002135", "0.000021"]),
        (["1234.5", "0.5", "0.001"], ["1,234.50", "0.50", "<0.01"]),
        (["0"], ["0.00"]),
        ([], []),
    ],
)
def test_a_column_has_the_decimals_that_its_amounts_need(amounts, shown):
    amounts = [Decimal(amount) for amount in amounts]
    decimals = decimals_of(amounts)
    assert [formatting.money(amount, decimals=decimals) for amount in amounts] == shown


def test_an_amount_is_exact_in_its_title_whatever_its_column(page, books):
    text = page.get("/").content.decode()
    assert 'title="0.192177 USD">0.1922<' in text
