"""A reader that breaks down at records with the id 'poison', and one that breaks down at all."""

from dataclasses import replace

from ingest.formats.native import FORMAT as NATIVE
from ingest.services import chunks


def poison(monkeypatch, *, at=b"poison", error=None):
    """Have the reader break down at records that hold these bytes."""
    plain = NATIVE.read

    def read(items, options, state):
        for item in items:
            if at in item.body:
                raise error or RuntimeError("secret prompt")
            yield from plain([item], options, state)

    monkeypatch.setattr(chunks, "format_of", lambda _: replace(NATIVE, read=read))


def mend(monkeypatch):
    monkeypatch.setattr(chunks, "format_of", lambda _: NATIVE)
