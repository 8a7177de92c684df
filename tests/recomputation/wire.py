"""Exports in their binary encoding, as the objects that their JSON would be."""

from collections.abc import Iterator
from typing import Any

from tests.recomputation.files import Record

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def export_of(body: bytes) -> Record:
    """An export of traces or of logs, whichever it is."""
    resources = [_resource(value) for number, value in fields(body) if number == 1]
    return {"resourceSpans": resources, "resourceLogs": resources}


def fields(body: bytes) -> Iterator[tuple[int, Any]]:
    """Numbers and raw values of a message's fields, in order."""
    place = 0
    while place < len(body):
        tag, place = _varint(body, place)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value, place = _varint(body, place)
            yield number, value
        else:
            if kind == _BYTES:
                length, place = _varint(body, place)
            else:
                length = {_FIXED64: 8, _FIXED32: 4}[kind]
            yield number, body[place : place + length]
            place += length


def _varint(body: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = body[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place


def _resource(body: bytes) -> Record:
    scopes = [
        [each for number, each in fields(value) if number == 2]
        for number, value in fields(body)
        if number == 2
    ]
    # A span begins with the 16 bytes of its trace, a log record with a time.
    return {
        "scopeSpans": [
            {"spans": [_span(each) for each in scope if _begins(each) == 16]} for scope in scopes
        ],
        "scopeLogs": [
            {"logRecords": [_log(each) for each in scope if _begins(each) != 16]}
            for scope in scopes
        ],
    }


def _begins(body: bytes) -> int:
    return len(next(value for number, value in fields(body) if number == 1))


def _span(body: bytes) -> Record:
    found = list(fields(body))
    first = dict(reversed(found))
    status = dict(fields(first[15])) if isinstance(first.get(15), bytes) else {}
    return {
        "traceId": _hex(first.get(1)), "spanId": _hex(first.get(2)),
        "startTimeUnixNano": _number(first.get(7)),
        "status": {"code": status.get(3, 0)},
        "attributes": [_attribute(value) for number, value in found if number == 9],
    }  # fmt: skip


def _log(body: bytes) -> Record:
    found = list(fields(body))
    first = dict(reversed(found))
    name = first.get(12)
    return {
        "traceId": _hex(first.get(9)), "spanId": _hex(first.get(10)),
        "timeUnixNano": _number(first.get(1)),
        "eventName": name.decode() if isinstance(name, bytes) else None,
        "attributes": [
            _attribute(value) for number, value in found if number == 6 and isinstance(value, bytes)
        ],
    }  # fmt: skip


def _attribute(body: bytes) -> Record:
    found = dict(fields(body))
    kind, value = next(fields(found.get(2, b"")), (1, b""))
    named = {1: "stringValue", 2: "boolValue", 3: "intValue", 4: "doubleValue", 5: "arrayValue"}
    if kind == 1:
        value = value.decode()
    if kind == 5:
        value = {"values": []}
    return {"key": found[1].decode(), "value": {named[kind]: value}}


def _hex(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else ""


def _number(value: Any) -> int:
    return int.from_bytes(value, "little") if isinstance(value, bytes) else 0
