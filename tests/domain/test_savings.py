"""What a prompt cache saved, and from how many reads on it pays."""

from decimal import Decimal
from fractions import Fraction

import pytest

from accounting.domain.savings import CacheCost


def cost(read=(0, "0", "0"), written=(0, "0", "0"), unpriced=0):
    """(tokens, at the price of input, paid) of reads and of writes."""
    return CacheCost(
        read_tokens=read[0],
        read_at_input=Decimal(read[1]),
        read_paid=Decimal(read[2]),
        written_tokens=written[0],
        written_at_input=Decimal(written[1]),
        written_paid=Decimal(written[2]),
        unpriced_tokens=unpriced,
    )


ONE = cost((1_000, "3", "0.3"), (400, "1.2", "1.5"), 7)


def test_what_was_saved_and_what_writing_cost_more():
    assert (ONE.saved, ONE.write_premium, ONE.net) == (
        Decimal("2.7"),
        Decimal("0.3"),
        Decimal("2.4"),
    )
    assert ONE.reads_per_write == Fraction(5, 2)


def test_costs_add_up_without_rounding():
    large = Decimal(10**30)
    two = CacheCost(
        read_tokens=1,
        read_at_input=large,
        read_paid=large,
        written_tokens=2,
        written_at_input=large,
        written_paid=large,
        unpriced_tokens=3,
    )
    assert ONE + two == CacheCost(
        read_tokens=1_001,
        read_at_input=Decimal(10**30 + 3),
        read_paid=Decimal("1000000000000000000000000000000.3"),
        written_tokens=402,
        written_at_input=Decimal("1000000000000000000000000000001.2"),
        written_paid=Decimal("1000000000000000000000000000001.5"),
        unpriced_tokens=10,
    )
    assert ((ONE + two).saved, (ONE + two).write_premium, (ONE + two).net) == (
        Decimal("2.7"),
        Decimal("0.3"),
        Decimal("2.4"),
    )


@pytest.mark.parametrize(
    ("told", "reads"),
    [
        # 0.3 more for 400 written, 2.7 less for 1,000 read: 0.00075 a write, 0.0027 a read.
        (ONE, Fraction(5, 18)),
        (cost((1_000, "3", "0.3")), None),
        (cost((1_000, "3", "0.3"), (400, "1.2", "1.2")), Fraction(0)),
        (cost((0, "0", "0"), (400, "1.2", "1.0")), Fraction(0)),
        (cost((0, "0", "0"), (400, "1.2", "1.5")), None),
        (cost((1_000, "3", "3"), (400, "1.2", "1.5")), None),
        (cost((1_000, "3", "4"), (400, "1.2", "1.5")), None),
    ],
)
def test_a_cache_pays_from_so_many_reads_of_each_written_token_on(told, reads):
    assert told.break_even == reads


def test_where_nothing_was_written_nothing_is_read_per_write():
    assert cost((1_000, "3", "0.3")).reads_per_write is None
