"""Moments as logs write them: epoch numbers of any unit, ISO 8601; always checked, always UTC."""

import re
from datetime import UTC, datetime, timedelta

from accounting.domain.periods import FIRST_YEAR, LAST_YEAR, checked_moment
from ingest.formats.base import RejectedError
from ingest.formats.shown import shown

#: A moment as sources write it; `moment` says which of these it takes.
Moment = int | float | str | None

_ISO = re.compile(
    r"\d{4}-\d\d-\d\d[T ](?:[01]\d|2[0-3]):\d\d:\d\d(?:[.,]\d{1,9})?"
    r"(Z|z| UTC| ?[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
#: Epoch numbers by magnitude: seconds, milliseconds, microseconds, nanoseconds -> microseconds.
_EPOCHS = ((10**9, 10**11, 10**6), (10**12, 10**14, 10**3), (10**15, 10**17, 1))
_PLAIN_NUMBER = re.compile(r"\d{1,20}(\.\d+)?", re.ASCII)


def moment(value: Moment, field: str, *, naive_is_utc: bool = False) -> datetime | None:
    """An instant in UTC: an epoch number by its magnitude, or ISO 8601; None and '' are unknown.

    naive_is_utc: what the format says of a text without offset; else such a text is rejected.
    """
    if value is None or value == "":
        return None
    if isinstance(value, str):
        found = _iso_moment(value, field, naive_is_utc=naive_is_utc)
        if found.tzinfo is UTC and FIRST_YEAR <= found.year <= LAST_YEAR:
            return found  # nothing to check, as in most logs
    else:
        found = _EPOCH + timedelta(microseconds=_epoch_microseconds(value, field))
    return checked_moment(found)


def elapsed_ms(start: datetime | None, end: datetime | None) -> float | None:
    """Milliseconds from start to end; None where either is unknown or the clock ran backwards."""
    if start is None or end is None or end < start:
        return None
    return (end - start) / _MILLISECOND


def _iso_moment(value: str, field: str, *, naive_is_utc: bool) -> datetime:
    found = _ISO.fullmatch(value)
    if found is None:
        if _PLAIN_NUMBER.fullmatch(value):
            return _EPOCH + timedelta(microseconds=_epoch_microseconds(float(value), field))
        raise _bad_time(value, field, "expected ISO 8601 or an epoch number")
    offset = found[1]
    if offset is None and not naive_is_utc:
        raise _bad_time(value, field, "it has no offset")
    if offset is None:
        value += "Z"
    elif offset != "Z":  # which is how most logs write it
        value = value[: found.start(1)] + offset.strip().replace("UTC", "Z").upper()
    try:
        return datetime.fromisoformat(value)
    except ValueError as error:
        raise _bad_time(value, field, "there is no such moment") from error


def _epoch_microseconds(value: float, field: str) -> int:
    if isinstance(value, bool):
        raise _bad_time(value, field, "expected ISO 8601 or an epoch number")
    for low, high, factor in _EPOCHS:
        if low <= value < high:
            return round(value * factor)
    if 10**17 <= value < 10**20:
        return int(value) // 1000
    raise _bad_time(value, field, "no epoch in s, ms, µs or ns of 2001 or later")


def _bad_time(value: object, field: str, why: str) -> RejectedError:
    return RejectedError("bad_time", f"{field} = {shown(value)}: {why}", field=field, value=value)
