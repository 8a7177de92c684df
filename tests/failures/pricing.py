"""What a use of a model comes to by a price table, in texts."""

from accounting.domain.money import from_picos, plain
from tests.books import NOON, use
from tests.failures.prices import BOOK, ROWS, rows

__all__ = ["BATCH", "FLEX", "MILLION", "ROWS", "cost", "rows", "state", "told"]
MILLION = 1_000_000
BATCH, FLEX = {"processing": "batch"}, {"service_tier": "flex"}


def told(model, *, book=BOOK, at=NOON, provider="testing", **fields):
    """The rating of a use."""
    return book.rate(use(provider=provider, response_model=model, **fields), at)


def cost(model, **fields):
    """What a use costs, as plain text; None where nobody knows."""
    picos = told(model, **fields).cost
    return None if picos is None else plain(from_picos(picos))


def state(model, **fields):
    return told(model, **fields).state
