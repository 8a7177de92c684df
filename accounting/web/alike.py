"""How many decimals amounts have that stand in one column: all the same number."""

from collections.abc import Iterable
from decimal import Decimal

THOUSAND = 1000


def decimals_of(amounts: Iterable[Decimal]) -> int:
    """How many decimals the amounts of one column have: two, and four where some are less than 1.

    Where all are less than 1 the greatest has four significant digits; beside thousands nobody looks
    for parts of a cent.
    """
    sizes = [abs(amount) for amount in amounts if amount]
    largest = max(sizes, default=Decimal(1))
    if largest >= THOUSAND or min(sizes, default=largest) >= 1:
        return 2
    return 4 if largest >= 1 else max(4, 3 - largest.adjusted())
