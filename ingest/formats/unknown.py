"""Why a file that no format fits is refused: it is no text, no JSON, or of a shape that nobody knows."""

import json

from ingest.formats.base import Sample, UnreadableError
from ingest.formats.shown import counted

#: Control characters that no text has; tabulators, line ends and the escape of colours are left out.
_CONTROLS = frozenset(map(chr, [*range(9), *range(14, 27), *range(28, 32), 127]))
#: Packed and random bytes are controls by a ninth, texts of any encoding by next to nothing.
_SHARE_OF_TEXTS = 50
BINARY = "not text: it holds control characters"


def refusal(sample: Sample, *, is_whole: bool) -> UnreadableError:
    """What is said of a file that no format fits. is_whole: whether the sample is all of it."""
    if is_binary(sample.text):
        return UnreadableError("binary_file", BINARY)
    if is_whole and (place := _damage(sample)):
        return UnreadableError("not_json", f"JSON that is cut off or damaged at {place}")
    return UnreadableError("unknown_format", _shape(sample))


def is_binary(text: str) -> bool:
    """Whether too many characters are controls for this to be a text."""
    return sum(map(text.count, _CONTROLS)) > len(text) // _SHARE_OF_TEXTS


def _damage(sample: Sample) -> str:
    """Where a JSON document of which nothing could be read breaks off; '' for anything else."""
    text = sample.text.lstrip()
    if sample.objects or not text.startswith(("{", "[")):
        return ""
    lines_before = sample.text[: len(sample.text) - len(text)].count("\n")
    try:
        json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError as error:
        return f"line {lines_before + error.lineno}, column {error.colno}"
    except (ValueError, RecursionError):
        return ""
    return ""


def _shape(sample: Sample) -> str:
    """What was seen instead, by its shape. A header may be a sentence: its names are not told."""
    if sample.header:
        return f"no known format: CSV with {len(sample.header)} columns"
    names = sorted(sample.objects[0]) if sample.objects else sorted(sample.keys)
    if names:
        return f"no known format: JSON with {counted(names, 'key', 'keys')}"
    is_json = sample.text.lstrip().startswith(("{", "["))
    return f"no known format: {'JSON without an object' if is_json else 'a text'}"
