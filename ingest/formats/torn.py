"""JSON that may be cut off or damaged, told piece by piece as far as it goes.

ijson is asked here alone: a whole number of more digits than Python turns into an int makes its
parser end the process the second time, not raise an error.
"""

import re
from collections.abc import Iterator
from typing import Any

import ijson

#: The parser's own errors, half a character, an exponent that no number bears, and deep nesting.
TORN = (ijson.JSONError, ValueError, ArithmeticError, RecursionError)
_MANY_DIGITS = re.compile(rb"\d{300,}+")
_FEWER_DIGITS = b"9" * 300


def events(text: bytes) -> Iterator[tuple[str, Any]]:
    """Each event of the text and its value; raises one of TORN where it ends too early."""
    found: Iterator[tuple[str, Any]] = ijson.basic_parse(_bearable(text))
    return found


def placed_events(text: bytes) -> Iterator[tuple[str, str, Any]]:
    """The same with the place of each."""
    found: Iterator[tuple[str, str, Any]] = ijson.parse(_bearable(text))
    return found


def values(text: bytes, place: str) -> Iterator[Any]:
    """Each whole value at a place; raises one of TORN where the text ends too early."""
    found: Iterator[Any] = ijson.items(_bearable(text), place)
    return found


def _bearable(text: bytes) -> bytes:
    return _MANY_DIGITS.sub(_FEWER_DIGITS, text)
