"""Every kind of answer that a provider gives, tried in one visible list."""

from collections.abc import Mapping

from ingest.formats import (
    chat_bodies,
    cohere_bodies,
    converse_bodies,
    dashscope_bodies,
    gemini_bodies,
    message_bodies,
    response_bodies,
)
from ingest.formats.body_reading import Family
from ingest.formats.fields import Decoder

FAMILIES: tuple[Family, ...] = (
    chat_bodies.FAMILY,
    response_bodies.FAMILY,
    message_bodies.FAMILY,
    gemini_bodies.FAMILY,
    converse_bodies.FAMILY,
    cohere_bodies.FAMILY,
    dashscope_bodies.FAMILY,
)


_ANYTHING: Decoder[dict[str, object]] = Decoder(dict[str, object])


def family_in(body: bytes) -> Family | None:
    """The kind of answer that this JSON value is; None for what is no answer and no object."""
    return family_of(_ANYTHING.of(body)) if body.startswith(b"{") else None


def family_of(body: Mapping[str, object]) -> Family | None:
    """The only kind of answer that this body fits; None where none or more than one does."""
    found = [family for family in FAMILIES if family.fits(body)]
    return found[0] if len(found) == 1 else None
