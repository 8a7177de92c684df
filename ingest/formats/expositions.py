"""Scrapes in Prometheus' text format: the samples of counters, a line each."""

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation

from accounting.domain.tokens import COUNT_LIMIT
from ingest.formats.base import RejectedError
from ingest.formats.fields import text
from ingest.formats.moments import moment
from ingest.formats.shown import shown

_LINE = re.compile(
    r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})?[ \t]+([-+.\w]+)(?:[ \t]+(\d{10,13}))?[ \t]*", re.ASCII
)
_LABEL = re.compile(r'\s*([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"\s*(?:,|$)', re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One counter and what it stood at. at: when, where the scrape says so."""

    name: str
    labels: tuple[tuple[str, str], ...]
    value: int
    at: datetime | None

    def label(self, *names: str) -> str:
        """The label by the first of these names that it has; '' without any."""
        return next((value for name in names for key, value in self.labels if key == name), "")


def first_of(written: str, names: Container[str]) -> str:
    """The first counter of these names in a scrape, '' when there is none."""
    return next((found[1] for found in _lines(written, names)), "")


def series_in(scrape: bytes, names: Container[str]) -> list[Series]:
    """What the counters of these names stand at; RejectedError where one is no count."""
    try:
        written = scrape.decode()
    except UnicodeDecodeError as error:
        raise RejectedError("invalid_utf8", f"not UTF-8 at byte {error.start}") from error
    return [
        Series(
            at=moment(int(found[4]), "timestamp") if found[4] else None,
            name=found[1],
            labels=_labels(found[2] or ""),
            value=_value(found[3], found[1]),
        )
        for found in _lines(written, names)
    ]


def _lines(written: str, names: Container[str]) -> Iterator[re.Match[str]]:
    for line in written.splitlines():
        found = _LINE.fullmatch(line.strip())
        if found and found[1] in names:
            yield found


def _labels(written: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (key, text(value.replace('\\"', '"').replace("\\\\", "\\"), key))
        for key, value in _LABEL.findall(written)
        if key != "counter"
    )


def _value(written: str, name: str) -> int:
    try:
        value = Decimal(written)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or not 0 <= value < COUNT_LIMIT or value != int(value):
        reason = f"{name} = {shown(written)}, expected a whole number of at least 0"
        raise RejectedError("bad_count", reason, field=name, value=written)
    return int(value)
