"""What a benchmark's run says of itself: its label, its settings, what it measured on the whole."""

import re
from collections.abc import Iterator

import msgspec

_KEPT = 64
_LONGEST = 200
_MEASURED = re.compile(r"_(ms|s|ns|ts|throughput|tokens|retokenized)$|goodput:?$|_per_")
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


def label_of(*parts: object) -> str:
    """A run's label from what tells it apart from other runs; unknown parts are left out."""
    return " · ".join(str(part) for part in parts if part not in (None, ""))[:_LONGEST]


def named(name: str, value: object) -> str:
    """A part of a label, 'rate 4'; '' where the value is unknown."""
    return "" if value is None else f"{name} {value}"


def settings_of(body: bytes, *others: str) -> tuple[tuple[str, str], ...]:
    """A run's own settings: its plain values except what was measured and these others."""
    return tuple(
        (name, value)
        for name, value in _plain_values(body)
        if not _MEASURED.search(name) and name not in others
    )[:_KEPT]


def measures_of(body: bytes) -> tuple[tuple[str, str], ...]:
    """What a run measured on the whole."""
    values = _plain_values(body)
    return tuple((n, v) for n, v in values if _MEASURED.search(n))[:_KEPT]


def _plain_values(body: bytes) -> Iterator[tuple[str, str]]:
    for name, raw in _OBJECT.decode(body).items():
        value = bytes(raw).strip()
        if value[:1] in {b"[", b"{", b"n", b""}:
            continue
        written = msgspec.json.decode(value, type=str) if value[:1] == b'"' else value.decode()
        if 0 < len(written) <= _LONGEST and len(name) <= _LONGEST and "\0" not in name + written:
            yield name, written
