"""Numbers as people write them into fields: 50,000,000 or 50M, in the digits that the grammar reads."""

import re
from decimal import Decimal

from accounting.domain.money import EXACT, plain

# Groups of three by commas, thin or plain spaces, or none; then what the unit multiplies.
_GROUPED = re.compile(
    r"\d{1,3}(?:[,\u2009\u00a0\u202f ]\d{3})+(?:\.\d+)?|\d{1,18}(?:\.\d{1,18})?", re.ASCII
)
_SEPARATORS = str.maketrans("", "", ",\u2009\u00a0\u202f ")
_UNITS = {
    unit: Decimal(factor)
    for unit, factor in {
        "": 1, "k": 10**3, "m": 10**6, "b": 10**9, "万": 10**4, "亿": 10**8
    }.items()
}  # fmt: skip


def read_number(text: str) -> str:
    """The plain digits of a number with separators or a unit; any other text as it is."""
    stripped = text.strip()
    unit = stripped[-1:].casefold()
    known = unit in _UNITS
    digits = stripped[:-1].rstrip() if known else stripped
    if len(digits) > 40 or not _GROUPED.fullmatch(digits):
        return text
    return plain(
        EXACT.multiply(Decimal(digits.translate(_SEPARATORS)), _UNITS[unit if known else ""])
    )
