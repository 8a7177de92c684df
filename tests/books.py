"""Rate books for tests, made of a few rows."""

from datetime import UTC, datetime
from decimal import Decimal
from itertools import count

from accounting.domain.conversions import Conversions
from accounting.domain.ratebook import RateBook
from accounting.domain.rates import Book, Conversion, Multiplier, Rate
from accounting.domain.shelves import Shelf
from accounting.domain.tokens import TokenCounts
from accounting.domain.usage import Use

START = datetime(2026, 1, 1, tzinfo=UTC)
NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
_ids = count(1)


def rate(unit, price, *, book_id=1, provider="testing", model="opal", start=START, **more):
    return Rate(
        id=next(_ids),
        book_id=book_id,
        provider=provider,
        model=model,
        unit=unit,
        price=Decimal(price),
        effective_from=start,
        **more,
    )


def factor(number, stack_group="margin", *, book_id=1, provider="", model="", unit="", **more):
    return Multiplier(
        id=next(_ids),
        book_id=book_id,
        provider=provider,
        model=model,
        unit=unit,
        factor=Decimal(number),
        stack_group=stack_group,
        effective_from=START,
        **more,
    )


def credit(price, currency="CNY", what="credit", start=START, end=None):
    return Conversion(
        id=next(_ids),
        what=what,
        currency=currency,
        price=Decimal(price),
        effective_from=start,
        effective_to=end,
    )


def shelf(*rows, id=1, code="own", currency="CNY", rank=(1,), aliases=(), **more):
    rates = [row for row in rows if isinstance(row, Rate)]
    factors = [row for row in rows if isinstance(row, Multiplier)]
    book = Book(id=id, code=code, currency=currency, rank=rank, **more)
    return Shelf(book, rates, factors, aliases)


def rate_book(*rows, shelves=(), credit_rates=(), fx_rates=(), currency="CNY"):
    """One own book of the rows, or the given shelves."""
    conversions = Conversions(currency=currency, kind="credit", credit=credit_rates, fx=fx_rates)
    return RateBook(1, shelves or [shelf(*rows)], conversions)


def use(**fields):
    """A use of testing/opal; keywords that TokenCounts knows are counts."""
    counts = {name: fields.pop(name) for name in list(fields) if name in TokenCounts.__slots__}
    counts.setdefault("input_tokens", 0)
    counts.setdefault("output_tokens", 0)
    fields.setdefault("provider", "testing")
    fields.setdefault("response_model", "opal")
    return Use(counts=TokenCounts(**counts), **fields)
