"""Amounts: integers of 10^-12 of a currency unit inside, plain decimal text outside.

Nothing here divides money or uses binary fractions. `quantised` is the one place that rounds.
"""

import re
from decimal import Context, Decimal

from accounting.domain.errors import BadAmountError

PICO = 10**12
#: A line or a total must fit into the bigint it is staged in (9.22 million units).
LARGEST_PICOS = 2**63 - 1
EXACT = Context(prec=60)
_AMOUNT = re.compile(r"^\d{1,20}(\.\d{1,18})?$", re.ASCII)


def amount(text: str) -> Decimal:
    """The non-negative amount written in text, digit for digit.

    Raises BadAmountError for signs, exponents, NaN, spaces, other scripts' digits, and more than
    20 digits before or 18 after the point: the text is checked before it becomes a number, because
    turning '1E+999999' into an integer takes most of a minute.
    """
    if not _AMOUNT.match(text):
        raise BadAmountError(f"{text[:40]!r} is no amount: expected digits, at most 20.18")
    return Decimal(text)


def quantised(numerator: int, per: int) -> int:
    """Numerator / per in whole picos, rounded half to even: the only rounding in the books.

    Raises BadAmountError where the result does not fit a bigint.
    """
    whole, rest = divmod(numerator, per)
    twice = 2 * rest
    if twice > per or (twice == per and whole % 2):
        whole += 1
    if not -LARGEST_PICOS <= whole <= LARGEST_PICOS:
        raise BadAmountError(f"an amount of {whole // PICO} units is more than one line may hold")
    return whole


def picos(value: Decimal) -> int:
    """An amount as picos, rounded half-even where it has more than 12 decimals."""
    shifted = value.scaleb(12, EXACT)
    whole = int(shifted)
    if whole == shifted and -LARGEST_PICOS <= whole <= LARGEST_PICOS:
        return whole
    numerator, denominator = value.as_integer_ratio()
    return quantised(numerator * PICO, denominator)


def from_picos(value: int) -> Decimal:
    """Picos as a Decimal without trailing zeros and without an exponent."""
    return Decimal(plain(Decimal(value).scaleb(-12, EXACT)))


def plain(value: Decimal) -> str:
    """A number as people and programs read it: no exponent, no trailing zeros, '0' for zero."""
    text = f"{value:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
