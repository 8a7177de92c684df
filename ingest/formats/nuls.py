"""A file that holds NUL bytes: another encoding, no text at all, or a text with a few spoilt lines."""

from ingest.formats.base import UnreadableError

#: How files begin that are no text: programs, archives, pictures, documents, tables of databases.
_MAGIC = (
    b"\x7fELF",
    b"MZ",
    b"PK\x03\x04",
    b"%PDF-",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"SQLite format 3\0",
    b"PAR1",
    b"Obj\x01",
    b"ORC",
)
#: A text in UTF-16 holds a NUL in half of its bytes, in UTF-32 more.
_SHARE_OF_WIDE_TEXTS = 4


def without_nuls(plain: bytes) -> bytes:
    """The head of a file as its format is told by: without the lines that NUL bytes spoil.

    They are rejected, one by one, when they are read: a machine that lost its power leaves such a
    line at the end of a log. Raises UnreadableError, binary_file or encoding_not_utf8, where most
    lines are spoilt, or the first one and it is no JSON.
    """
    if 0 not in plain:
        return plain
    if plain.startswith(_MAGIC):
        raise UnreadableError("binary_file", "not text: it begins as files do that are none")
    lines = [line for line in plain.split(b"\n") if line.strip()]
    whole = [line for line in lines if 0 not in line]
    if whole and whole[0] is lines[0] and 2 * len(whole) >= len(lines):
        return b"\n".join([*whole, b""])
    if plain.count(0) > max(1, len(plain) // _SHARE_OF_WIDE_TEXTS):
        raise UnreadableError("encoding_not_utf8", "UTF-16 or UTF-32; save it as UTF-8")
    if plain.lstrip()[:1] in {b"{", b"["}:
        return plain.replace(b"\0", b" ")
    raise UnreadableError("binary_file", "not text: it holds NUL bytes")
