"""Typed decoding and checked access, shared by all formats: counts, durations, money, names."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

import msgspec

from accounting.domain.errors import DomainError
from accounting.domain.money import picos
from accounting.domain.tokens import COUNT_LIMIT
from ingest.formats.base import Item, Outcome, RejectedError
from ingest.formats.shown import shown
from ingest.formats.strict import examined, is_doubtful

#: A count as sources write it; `count` says which of these it takes.
Count = int | float | str | bool | None
#: A JSON value kept as its own text, for a number whose digits matter; b'' where it is left out.
Exact = msgspec.Raw
NOTHING = msgspec.Raw(b"")

TEXT_LIMIT = 200
_WHOLE = re.compile(r"\d{1,12}", re.ASCII)
_NUMBER = re.compile(r"(-?)(\d{1,20})(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?", re.ASCII)
_ORDINARY = re.compile(rb"\d{1,6}(?:\.\d{1,12})?")
_AT = re.compile(r" - at `\$\.?(.*)`$")


class Decoder[Record]:
    """Decodes one source record into a typed struct, or rejects it by its reason.

    watched: keys whose meaning would be double if they stood twice, each with how often it stands
    in an ordinary record; a record with more is read by the strict reader, which decides.
    kind is kept for the catalogue of formats, which shows what is read.
    """

    def __init__(self, kind: type[Record], watched: Mapping[str, int] | None = None) -> None:
        self.kind = kind
        self._decoder = msgspec.json.Decoder(kind)
        self._watched = tuple((b'"%s":' % key.encode(), n) for key, n in (watched or {}).items())

    def decoded(self, item: Item) -> Record:
        """The item's body, which must be JSON."""
        return self.of(json_of(item))

    def envelope(self, body: bytes) -> Record:
        """A JSON text whose records are kept as their own text, to be doubted one by one."""
        try:
            return self._decoder.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError) as error:
            raise _refusal(body, str(error)) from error

    def of(self, body: bytes) -> Record:
        """One JSON text as a record."""
        record = self.envelope(body)
        self.doubt(body)
        return record

    def doubt(self, body: bytes) -> None:
        """Have the strict reader see a text of which the fast one may have missed something."""
        if not body.isascii():
            _check_utf8(body)
        if is_doubtful(body) or self._stands_too_often(body):
            examined(body)

    def _stands_too_often(self, body: bytes) -> bool:
        # A loop: making a generator costs as much as counting three keys.
        for key, usual in self._watched:  # noqa: SIM110
            if body.count(key) > usual:
                return True
        return False


def json_of(item: Item) -> bytes:
    """The item's JSON text."""
    if not isinstance(item.body, bytes):
        raise RejectedError("not_json", "a CSV row, expected JSON")
    return item.body


def decode[Record](kind: type[Record], item: Item) -> Record:
    """The item's JSON as a struct of this kind: for formats that need no watched keys."""
    return Decoder(kind).decoded(item)


def outcomes(items: Iterable[Item], one: Callable[[Item], Outcome]) -> Iterator[Outcome]:
    """One outcome for each item, in order; a bad one is rejected and costs no neighbour."""
    for item in items:
        yield outcome_of(item, one)


def outcome_of(item: Item, one: Callable[[Item], Outcome]) -> Outcome:
    """What one item comes to."""
    if item.refusal is not None:
        return item.refusal.at(item)
    try:
        return one(item)
    except RejectedError as error:
        return error.at(item)
    except DomainError as error:
        return RejectedError(error.code, str(error)).at(item)


def count(value: Count, field: str) -> int | None:
    """A count: an int, a whole float or ASCII digits, 0 to 10^12 - 1; None stays unknown.

    Never a boolean: true is not 1.
    """
    if value is None:
        return None
    if type(value) is int:
        whole = value
    elif isinstance(value, float) and value.is_integer():
        whole = int(value) if abs(value) < COUNT_LIMIT else COUNT_LIMIT
    elif isinstance(value, str) and _WHOLE.fullmatch(value):
        whole = int(value)
    else:
        raise _bad_count(value, field)
    if whole < 0:
        raise _bad_count(value, field)
    if whole >= COUNT_LIMIT:
        told = shown(value) if isinstance(value, str) or whole < 10**40 else "too many digits"
        reason = f"{field} = {told}, expected 0 to {COUNT_LIMIT - 1}"
        raise RejectedError("number_out_of_range", reason, field=field, value=told)
    return whole


def required_count(value: Count, field: str) -> int:
    """A count that must be there."""
    found = count(value, field)
    if found is None:
        raise _bad_count(None, field)
    return found


def known_sum[Number: (int, float)](*values: Number | None) -> Number | None:
    """The sum of those that are known; None where none is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def milliseconds(value: object, field: str) -> float | None:
    """A duration that is not negative; None stays unknown."""
    if value is None:
        return None
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e13:
        reason = f"{field} = {shown(value)}, expected a number from 0 to 9999999999999"
        raise RejectedError("bad_duration", reason, field=field, value=value)
    return float(value)


def cost(value: Exact, field: str) -> Decimal | None:
    """An amount digit for digit: never negative, at most 20 digits before the point.

    At most 18 decimals, or 17 significant digits: programs write binary fractions in full.
    """
    written = bytes(value)
    if _ORDINARY.fullmatch(written):
        return Decimal(written.decode())  # which the ledger holds as it is
    text = written.decode().strip('"')
    if text in {"", "null"}:
        return None
    number = _NUMBER.fullmatch(text)
    if number is None or number[1]:
        code = "too_many_digits" if re.fullmatch(r"\d{21,}(\.\d*)?", text) else "bad_amount"
        reason = f"{field} = {shown(text)}, expected an amount of at least 0"
        raise RejectedError(code, reason, field=field, value=text)
    exponent = int(number[4] or 0)
    decimals = len(number[3] or "") - exponent
    significant = len((number[2] + (number[3] or "")).strip("0"))
    if decimals > 40 or len(number[2]) + exponent > 20 or (decimals > 18 and significant > 17):
        reason = f"{field} = {shown(text)} has more digits than an amount can have"
        raise RejectedError("too_many_digits", reason, field=field, value=text)
    amount = Decimal(text)
    picos(amount)  # raises where the ledger could not hold it
    return amount


def text(value: Any, field: str, limit: int = TEXT_LIMIT) -> str:
    """A name as it stands in the source, in NFC; None is ''."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RejectedError("bad_text", f"{field} is no text", field=field)
    if len(value) > limit:
        reason = f"{field} has {len(value)} characters, at most {limit} are kept"
        raise RejectedError("text_too_long", reason, field=field, value=len(value))
    if value.isascii():
        if "\0" in value:
            raise RejectedError("nul_character", f"{field} holds a NUL character", field=field)
        return value
    if "\0" in value:
        raise RejectedError("nul_character", f"{field} holds a NUL character", field=field)
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise RejectedError("invalid_unicode", f"{field} holds half a character", field=field)
    return unicodedata.normalize("NFC", value)


def _refusal(body: bytes, message: str) -> RejectedError:
    """Why the fast reader refused this text: what the strict one finds, else the wrong type."""
    place = _AT.search(message)
    field = place[1][:80] if place else ""
    try:
        examined(body)
    except RejectedError as found:
        if not found.field:
            found.field = field
        return found
    if "missing required field" in message:
        name = message.rpartition("field `")[2].partition("`")[0]
        return RejectedError("missing_field", message, field=f"{field}.{name}".strip("."))
    if "unknown field" in message:
        name = message.rpartition("field `")[2].partition("`")[0]
        return RejectedError(
            "unknown_field", f"there is no field {shown(name, 80)}", field=shown(name, 80)
        )
    told = message.partition(" - at ")[0]
    return RejectedError("bad_type", f"{field}: {told}" if field else told, field=field)


def _check_utf8(body: bytes) -> None:
    try:
        body.decode()
    except UnicodeDecodeError as error:
        reason = f"not UTF-8 at byte {error.start} of the record"
        raise RejectedError("invalid_utf8", reason, value=error.start) from error


def _bad_count(value: object, field: str) -> RejectedError:
    told = "null" if value is None else shown(value)
    reason = f"{field} = {told}, expected a whole number from 0 to {COUNT_LIMIT - 1}"
    return RejectedError("bad_count", reason, field=field, value=told)
