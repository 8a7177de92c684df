"""Cursors of tables in an address: what the last row is ordered by, and its id."""

import re
from datetime import datetime
from decimal import Decimal

from accounting.queries.filters import FilterError
from accounting.queries.requests import RequestKey
from accounting.queries.sessions import SessionKey

MOMENTS = ("started", "ended")
_HEX = re.compile(r"([0-9a-f]{2}){0,32}", re.ASCII)
_NUMBER = re.compile(r"-?\d{1,60}(\.\d{1,60})?", re.ASCII)


def cursor_text(key: SessionKey) -> str:
    """A row's key as it stands in an address."""
    value, session_id = key
    written = value.isoformat() if isinstance(value, datetime) else f"{value:f}"
    return f"{written}~{session_id}"


def cursor_key(text: str, order: str) -> SessionKey:
    """The key a cursor means under an order. Raises FilterError for one it does not fit."""
    written, mark, session_id = text.partition("~")
    value = _moment(written) if order.removeprefix("-") in MOMENTS else _number(written)
    if value is None or not mark or "\0" in session_id:
        raise FilterError("bad_cursor", "the cursor belongs to another question", "after")
    return value, session_id


def request_cursor(key: RequestKey) -> str:
    """A request's key as it stands in an address."""
    at, dedupe_key = key
    return f"{at.isoformat()}~{dedupe_key}"


def request_key(text: str) -> RequestKey:
    """The key a cursor means; without an id behind its mark, whatever started before that moment.

    Raises FilterError for what is no cursor.
    """
    written, mark, dedupe_key = text.partition("~")
    at = _moment(written)
    if at is None or not mark or not _HEX.fullmatch(dedupe_key):
        raise FilterError("bad_cursor", "the cursor is none of this table", "after")
    return at, dedupe_key


def _moment(text: str) -> datetime | None:
    try:
        value = datetime.fromisoformat(text)
    except ValueError:
        return None
    return value if value.tzinfo else None


def _number(text: str) -> Decimal | None:
    return Decimal(text) if _NUMBER.fullmatch(text) else None
