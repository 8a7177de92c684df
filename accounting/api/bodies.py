"""JSON bodies of questions, read raw: the framework's parser makes binary fractions of amounts."""

import json
from collections.abc import Callable
from typing import Any

from accounting.queries.filters import FilterError


def json_in(
    body: bytes,
    *,
    floats: Callable[[str], Any] = float,
    ints: Callable[[str], Any] = int,
) -> Any:
    """The JSON value in a body. floats, ints: what makes a number of its text.

    Raises FilterError, bad_body, for what is no JSON and for texts that no answer and no table could
    hold: with half a character, or with NUL.
    """
    try:
        value = json.loads(
            body, parse_float=floats, parse_int=ints, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError) as error:
        raise FilterError("bad_body", "the body is no JSON") from error
    _check_texts(value)
    return value


def _refuse_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is no number")


def _check_texts(value: Any) -> None:
    # Not recursive: what is as deep as the reader goes would be too deep for calls of ours.
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, str) and ("\0" in one or not _is_whole(one)):
            raise FilterError("bad_body", "a text in the body holds NUL or half a character")


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
