"""What a page reads of its address beside the filter: words out of a few, and the number of a page."""

from collections.abc import Collection

from django.http import HttpRequest

from accounting.queries.filters import FilterError

_LONGEST_NUMBER = 6


def word(request: HttpRequest, name: str, allowed: Collection[str], default: str = "") -> str:
    """A parameter that is one of a few words. Raises FilterError for any other, and for two."""
    values = request.GET.getlist(name)
    if len(values) > 1:
        raise FilterError("repeated_parameter", f"{name} is given {len(values)} times", name)
    value = values[0] if values else ""
    if value and value not in allowed:
        expected = ", ".join(one for one in allowed if one)
        raise FilterError(f"unknown_{name}", f"{name}={value[:80]!r}, expected {expected}", name)
    return value or default


def page_number(request: HttpRequest) -> int:
    """The page of a table that is asked for, from 1. Raises FilterError for what is no number."""
    text = request.GET.get("page", "") or "1"
    if not (text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER and int(text)):
        raise FilterError("bad_count", f"page={text[:20]!r}, expected a number from 1", "page")
    return int(text)
