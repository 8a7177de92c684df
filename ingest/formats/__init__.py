"""Every log format that Tallybook reads, tried in this order."""

from ingest.formats.base import Format, UnreadableError

FORMATS: tuple[Format, ...] = ()


def by_name(name: str) -> Format:
    """The format of that name, or UnreadableError unknown_format."""
    for known in FORMATS:
        if known.name == name:
            return known
    names = ", ".join(known.name for known in FORMATS)
    raise UnreadableError("unknown_format", f"no format is named {name[:80]!r}; there are {names}")
