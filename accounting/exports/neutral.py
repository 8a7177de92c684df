"""Texts that no spreadsheet runs as a formula."""

import re

#: A spreadsheet runs a cell that starts so, whatever white space or control stands before.
_FORMULA = re.compile(r"^[\s\x00-\x1f]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]")


def neutral(text: str) -> str:
    """The text, with an apostrophe in front where a spreadsheet would run it as a formula."""
    return f"'{text}" if _FORMULA.match(text) else text
