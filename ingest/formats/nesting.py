"""How deep JSON is nested, told before anything decodes it.

Decoders recurse in C. In a server's thread, whose stack is small, twenty thousand brackets end the
process instead of raising an error, so deep text must never reach them.
"""

import re
from dataclasses import replace

from ingest.formats.base import Item, RejectedError

#: Every decoder here bears this much; the strict reader allows far less.
SAFE_DEPTH = 500
_TOKENS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


def is_too_deep(body: bytes) -> bool:
    """Whether a JSON text, whole or torn, nests deeper than SAFE_DEPTH; strings do not count."""
    return len(shallow_part(body)) < len(body)


def shallow_part(body: bytes) -> bytes:
    """The text up to where it nests deeper than SAFE_DEPTH."""
    if body.count(b"[") + body.count(b"{") <= SAFE_DEPTH:
        return body
    depth = 0
    for token in _TOKENS.finditer(body):
        first = body[token.start()]
        if first in b"[{":
            depth += 1
            if depth > SAFE_DEPTH:
                return body[: token.start()]
        elif first in b"]}":
            depth = max(0, depth - 1)
    return body


def shallow(item: Item) -> Item:
    """The item, or where it is too deep its refusal without the text."""
    if isinstance(item.body, bytes) and is_too_deep(item.body):
        return replace(item, body=b"", refusal=too_deep())
    return item


def too_deep() -> RejectedError:
    """The refusal of a record that nests too deep."""
    return RejectedError("too_deep", f"nested deeper than {SAFE_DEPTH} levels")
