"""The chunks of a streamed answer: server-sent events, bare lines of JSON, or an array of them."""

from collections.abc import Iterator

import msgspec

_FIELDS = (b"event:", b"id:", b"retry:", b":")


def chunks(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Each chunk's JSON text with its 1-based line; [DONE] and the events' other fields are none."""
    if body.lstrip().startswith(b"["):
        yield from _array(body)
        return
    for number, line in enumerate(body.split(b"\n"), 1):
        text = line.strip()
        if text.startswith(b"data:"):
            text = text.removeprefix(b"data:").strip()
        elif text.startswith(_FIELDS):
            continue
        if text and text != b"[DONE]":
            yield number, text


def _array(body: bytes) -> Iterator[tuple[int, bytes]]:
    try:
        elements = msgspec.json.decode(body, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError):
        yield 1, body
        return
    for number, element in enumerate(elements, 1):
        yield number, bytes(element)
