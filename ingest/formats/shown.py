"""What a reason may repeat of a log: a number or a name. Never its text, for that may hold prompts."""

import re
from collections.abc import Collection

_LIMIT = 40
_NAMES_SHOWN, _NAMES_LIMIT = 4, 80
#: One word, or up to three as in a heading or a time; a sentence has more.
_NAME = re.compile(r"[\w.,:+/$%-]+(?: [\w.,:+/$%-]+){0,2}")
_DIGITS = re.compile(r"[-+]?[\d.]+", re.ASCII)


def shown(value: object, limit: int = _LIMIT) -> str:
    """A number or name as it stands, of any other text only its length. A long number is cut off."""
    text = str(value)
    if _DIGITS.fullmatch(text):
        return text[:limit]
    if not text or (len(text) <= limit and _NAME.fullmatch(text)):
        return text
    return f"(a text of {len(text)} characters)"


def counted(names: Collection[str], one: str, many: str) -> str:
    """How many names there are and a few of them: '40 keys, among them id, model'."""
    told = f"{len(names)} {one if len(names) == 1 else many}"
    kept: list[str] = []
    for name in names:
        is_name = len(name) <= _LIMIT and _NAME.fullmatch(name) is not None
        if is_name and len(kept) < _NAMES_SHOWN and len(", ".join([*kept, name])) <= _NAMES_LIMIT:
            kept.append(name)
    if not kept:
        return told
    return f"{told}{': ' if len(kept) == len(names) else ', among them '}{', '.join(kept)}"
