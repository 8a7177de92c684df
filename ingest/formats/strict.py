"""The slow, strict JSON reader: asked when the fast one refused, it names the reason.

Also asked when a text looks doubtful: a key that stands twice, or brackets too many.
"""

import json
import re
from itertools import accumulate
from typing import Any, NoReturn

from ingest.formats.base import RejectedError
from ingest.formats.shown import shown

DEPTH_LIMIT = 64
_DIGITS_LIMIT = 40
_EXPONENT_LIMIT = 300
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
#: An exponent so small that fast readers call the number 0.
_TINY = re.compile(rb"e-\d{3}")
#: A longer one is seen by the strict reader whatever it is.
_LONGEST_NUMBER = 60
#: '' is the text's beginning.
_BEFORE_NUMBERS = (b"", b":", b"[", b",", b" ", b"\t", b"\r", b"\n")
_NUMBER = re.compile(r"-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?", re.ASCII)


def examined(body: bytes) -> dict[str, Any]:
    """The object a JSON text holds; RejectedError names what is wrong with any other text.

    Codes: not_json, invalid_utf8, invalid_unicode, nul_character, not_a_number, number_out_of_range, too_deep,
    duplicate_key, not_an_object. Takes time in proportion to the text, whatever the text.
    """
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        reason = f"not UTF-8 at byte {error.start} of the record"
        raise RejectedError("invalid_utf8", reason, value=error.start) from error
    if "\0" in text:
        raise RejectedError("nul_character", f"a NUL byte at byte {body.index(0)} of the record")
    if is_too_deep(body):
        raise RejectedError("too_deep", f"nested deeper than {DEPTH_LIMIT} levels")
    try:
        value = json.loads(
            text,
            object_pairs_hook=_without_duplicates,
            parse_constant=_no_number,
            parse_float=_checked_number,
            parse_int=_checked_number,
        )
    except json.JSONDecodeError as error:
        reason = f"not JSON at column {error.pos + 1}: {error.msg}" if text.strip() else "no JSON"
        raise RejectedError("not_json", reason) from error
    if not isinstance(value, dict):
        raise RejectedError("not_an_object", f"a JSON {_kind(value, text)}, expected an object")
    _check_texts(value)
    return value


def is_doubtful(body: bytes) -> bool:
    """Whether the strict reader should see a text that the fast one took."""
    # A single byte is looked for many times faster than two.
    return is_too_deep(body) or (b"E" in body and b"E-" in body) or _has_tiny_number(body)


def _has_tiny_number(body: bytes) -> bool:
    """Whether what looks like such an exponent may end a number; in ids it often stands behind digits."""
    for found in _TINY.finditer(body):
        before = body[max(0, found.start() - _LONGEST_NUMBER) : found.start()]
        rest = before.rstrip(b"0123456789.")
        if rest != before and (not rest or rest.removesuffix(b"-")[-1:] in _BEFORE_NUMBERS):
            return True
    return False


def is_too_deep(body: bytes) -> bool:
    """Whether brackets outside strings are nested deeper than DEPTH_LIMIT."""
    if body.count(b"[") + body.count(b"{") <= DEPTH_LIMIT:
        return False
    brackets = _STRING.sub(b"", body).translate(None, _NOT_BRACKETS)
    return any(depth > DEPTH_LIMIT for depth in accumulate(map(_STEPS.__getitem__, brackets)))


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        reason = f"the key {shown(twice, 80)} stands twice in one object"
        raise RejectedError("duplicate_key", reason, field=shown(twice, 80))
    return found


def _no_number(text: str) -> NoReturn:
    raise RejectedError("not_a_number", f"{text} is not a number", value=text)


def _checked_number(text: str) -> str:
    """The number's text; nothing is computed from it, for 1E+999999 takes most of a minute."""
    number = _NUMBER.fullmatch(text)
    exponent = number[3] if number else None
    if (
        number is None
        or len(number[1]) > _DIGITS_LIMIT
        or (exponent and (len(exponent) > 5 or abs(int(exponent)) > _EXPONENT_LIMIT))
    ):
        reason = f"the number {text[:20]}… is out of range"
        raise RejectedError("number_out_of_range", reason, value=text)
    return text


def _check_texts(value: object) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            _check_texts(name)
            _check_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            _check_texts(inner)
    elif isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
        reason = "a string holds half a surrogate pair, which is no character"
        raise RejectedError("invalid_unicode", reason)


def _kind(value: object, text: str) -> str:
    kinds = {list: "array", bool: "boolean", type(None): "null"}
    # A number is its text here.
    scalar = "string" if text.lstrip().startswith('"') else "number"
    return kinds.get(type(value), scalar)
