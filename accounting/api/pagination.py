"""Pages by cursor: the key of the last row, signed, and good for the same question only."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django.core import signing

from accounting.domain.money import plain
from accounting.domain.periods import day_start
from accounting.queries.filters import FilterError, UsageFilter
from accounting.queries.grammar import LONGEST_VALUE

CURSOR, LIMIT = "cursor", "limit"
DEFAULT_LIMIT = 100
MOST_ROWS = 1_000
#: Parameters that say which part of an answer is wanted, not which answer.
_OF_A_PAGE = frozenset({CURSOR, LIMIT, "fields"})
_READERS: Mapping[str, Callable[[str], Any]] = {
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "int": int,
    "Decimal": Decimal,
    "str": str,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Which page of which answer is asked for. asked: what its cursors belong to."""

    asked: str
    limit: int
    after: tuple[Any, ...] | None

    def next(self, key: Sequence[object], *, has_more: bool) -> str | None:
        """The cursor behind the row with this key, None where nothing follows."""
        return cursor_of(self.asked, key) if has_more else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FilteredPage:
    """A page of a filter's answer. wanted: with the days of the first page, whatever day it is now."""

    page: Page
    wanted: UsageFilter

    def next(self, key: Sequence[object], *, has_more: bool) -> str | None:
        """The cursor behind the row with this key, None where nothing follows."""
        days = (self.wanted.start, self.wanted.end)
        return self.page.next((*days, *key), has_more=has_more)


def page_of(
    name: str, organization_id: int, params: Mapping[str, Sequence[str]], *, only: str = ""
) -> Page:
    """The page that an address asks for. only: the project that the caller sees alone.

    A cursor is good for the same parameters, but for those that change no order. Raises FilterError.
    """
    same = sorted((key, value) for key, value in params.items() if key not in _OF_A_PAGE)
    asked = f"{name}:{organization_id}:{only}:{urlencode(same, doseq=True)}"
    return Page(asked=asked, limit=limit_of(params), after=key_of(asked, params))


def filtered_page(
    name: str, wanted: UsageFilter, params: Mapping[str, Sequence[str]]
) -> FilteredPage:
    """The page of a filter's answer that an address asks for. Raises FilterError."""
    page = page_of(name, wanted.organization_id, params, only=wanted.only)
    if page.after is not None:
        start, end, *key = page.after
        page = replace(page, after=tuple(key))
        wanted = replace(
            wanted,
            start=start,
            end=end,
            starts_at=day_start(start, wanted.zone),
            ends_at=day_start(end, wanted.zone),
        )
    return FilteredPage(page=page, wanted=wanted)


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


def text_in(params: Mapping[str, Sequence[str]], name: str) -> str:
    """The one value of a parameter that is searched for, '' without it. Raises FilterError."""
    text = single(params, name)
    if len(text) > LONGEST_VALUE or "\0" in text:
        raise FilterError("bad_value", f"{name}: at most {LONGEST_VALUE} characters, no NUL", name)
    return text


def _text(part: object) -> str:
    if isinstance(part, date | datetime):
        return part.isoformat()
    return plain(part) if isinstance(part, Decimal) else str(part)
