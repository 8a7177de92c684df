"""Cursors of the sessions table in an address: the last row's value and session id."""

import re
from datetime import datetime
from decimal import Decimal

from accounting.queries.filters import FilterError
from accounting.queries.sessions import SessionKey

MOMENTS = ("started", "ended")
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


def _moment(text: str) -> datetime | None:
    try:
        value = datetime.fromisoformat(text)
    except ValueError:
        return None
    return value if value.tzinfo else None


def _number(text: str) -> Decimal | None:
    return Decimal(text) if _NUMBER.fullmatch(text) else None
