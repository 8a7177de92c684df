"""Pages by cursor: the key of the last row, signed, and good for the same question only."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django.core import signing

from accounting.domain.money import plain
from accounting.queries.comparing import address
from accounting.queries.filters import FilterError, UsageFilter

CURSOR, LIMIT = "cursor", "limit"
DEFAULT_LIMIT = 100
MOST_ROWS = 1_000
_READERS: Mapping[str, Callable[[str], Any]] = {
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "int": int,
    "Decimal": Decimal,
    "str": str,
}


def question(name: str, wanted: UsageFilter, order: str = "") -> str:
    """What a cursor belongs to: the same words ask for the same rows in the same order."""
    return f"{name}:{wanted.organization_id}:{order}:{urlencode(address(wanted))}"


def cursor_of(asked: str, key: Sequence[object]) -> str:
    """The cursor behind the row with this key."""
    parts = [(type(part).__name__, _text(part)) for part in key]
    return signing.dumps(parts, salt=asked, compress=True)


def key_of(asked: str, params: Mapping[str, Sequence[str]]) -> tuple[Any, ...] | None:
    """The key that the cursor parameter holds, None without one.

    Raises FilterError for a cursor that we did not give out for this question.
    """
    text = single(params, CURSOR)
    if not text:
        return None
    try:
        parts = signing.loads(text, salt=asked)
    except signing.BadSignature:
        raise FilterError(
            "bad_cursor", "the cursor was not given out for this question", CURSOR
        ) from None
    return tuple(_READERS[kind](value) for kind, value in parts)


def limit_of(params: Mapping[str, Sequence[str]]) -> int:
    """The limit parameter: how many rows a page has at most. Raises FilterError."""
    text = single(params, LIMIT) or str(DEFAULT_LIMIT)
    if not (text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= MOST_ROWS):
        raise FilterError("bad_limit", f"limit={text[:20]!r}, expected 1 to {MOST_ROWS}", LIMIT)
    return int(text)


def single(params: Mapping[str, Sequence[str]], name: str) -> str:
    """The one value of a parameter, '' without it. Raises FilterError for two."""
    values = params.get(name, ())
    if len(values) > 1:
        raise FilterError("repeated_parameter", f"{name} is given {len(values)} times", name)
    return values[0] if values else ""


def _text(part: object) -> str:
    if isinstance(part, date | datetime):
        return part.isoformat()
    return plain(part) if isinstance(part, Decimal) else str(part)
