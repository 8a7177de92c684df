r"""Half characters in a text of many records: \ud83d alone stops the fast reader at the whole text."""

import re

from ingest.formats.base import RejectedError

#: Stands in for a half: as long, no half, and written as nobody writes it.
_MARK = rb"\ufFfD"
#: A whole pair, a half of one (group 1), or any other escape.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def halves_marked(body: bytes) -> bytes | None:
    """The text with a mark for each half, every byte at its place; None where it has none."""
    marked = _ESCAPE.sub(lambda found: _MARK if found[1] else found[0], body)
    return None if marked == body else marked


def refuse_halves(body: bytes) -> None:
    """Raise RejectedError where part of a marked text held a half."""
    if _MARK in body:
        reason = "a string holds half a surrogate pair, which is no character"
        raise RejectedError("invalid_unicode", reason)
