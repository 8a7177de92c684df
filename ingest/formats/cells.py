"""CSV rows as the JSON they would be, so that one struct reads a table's rows in either form."""

from collections.abc import Collection

import msgspec

from ingest.formats.base import Item, RejectedError
from ingest.formats.nesting import is_too_deep

#: A flag as JSON or a CSV cell writes it.
Flag = bool | int | str | None
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_TRUE = {"true", "t", "1", "yes"}


def row_json(item: Item, json_columns: Collection[str] = ()) -> bytes:
    """The item's JSON; of a CSV row an object of its cells.

    An empty cell is left out. json_columns hold JSON text of their own.
    """
    if isinstance(item.body, bytes):
        return item.body
    return msgspec.json.encode(
        {
            name: msgspec.Raw(cell.encode()) if name in json_columns else cell
            for name, cell in item.body.items()
            if cell
        }
    )


def inner_json(value: msgspec.Raw) -> bytes:
    """The JSON text of a value that is JSON, or a string that holds JSON; b'' for nothing."""
    found = bytes(value).strip()
    if found.startswith(b'"'):
        try:
            found = msgspec.json.decode(found, type=str).strip().encode("utf-8", "replace")
        except msgspec.MsgspecError:
            return b""
    return b"" if found in {b"null", b"None"} or is_too_deep(found) else found


def inner_object(value: msgspec.Raw) -> dict[str, object]:
    """The object that a value is, or holds as a string; {} where it is none."""
    try:
        found = msgspec.json.decode(inner_json(value) or b"null")
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return {}
    return found if isinstance(found, dict) else {}


def inner_list(value: msgspec.Raw) -> list[bytes]:
    """The elements of a list that a value is, or holds as a string; RejectedError where it is none."""
    try:
        return [bytes(each) for each in _LIST.decode(inner_json(value))]
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise RejectedError("not_json", "a list inside the record is no JSON") from error


def is_set(value: Flag) -> bool:
    """Whether a flag is on; unknown is off."""
    return str(value).strip().lower() in _TRUE


def flag(value: Flag) -> bool | None:
    """A flag, None where it is unknown."""
    return None if value in (None, "") else is_set(value)
