"""The name of an error in what a tool kept of it; never its text, for that may quote the prompt."""

import re
from http import HTTPStatus

#: OpenTelemetry's word for an error that nobody gave a name.
UNNAMED = "_OTHER"
#: The class with which a line of a trace begins: aiohttp.ClientPayloadError: … or ValueError(…).
_CLASS = re.compile(
    r"^(?:[A-Za-z_]\w*\.)*([A-Z]\w{0,60}(?:Error|Exception|Timeout|Interrupt|Exit))(?=[:(\r]|$)",
    re.ASCII | re.MULTILINE,
)
_CODE = re.compile(r"(?:HTTP )?[\w.-]{1,40}", re.ASCII)
_PHRASES = frozenset(status.phrase for status in HTTPStatus)


def error_name(written: str | None, *, unnamed: str = UNNAMED) -> str:
    """The last class that a trace names, else a code or an HTTP phrase that stands alone.

    unnamed: what any other text comes to. '' where nothing is written.
    """
    whole = (written or "").strip()
    classes = _CLASS.findall(whole)
    if classes:
        return str(classes[-1])
    return whole if not whole or _CODE.fullmatch(whole) or whole in _PHRASES else unnamed
