"""What callers write beside a request as free metadata: who, which session, and tags."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from ingest.formats.base import RejectedError
from ingest.formats.fields import TEXT_LIMIT, text
from ingest.formats.shown import shown

TAG_LIMIT = 64
#: What each name in common use stands for, in lower case and with underscores.
_MEANINGS = {
    "user": "user_id",
    "_user": "user_id",
    "user_id": "user_id",
    "userid": "user_id",
    "session": "session_id",
    "session_id": "session_id",
    "sessionid": "session_id",
    "_session": "session_id",
    "helicone_session_id": "session_id",
    "conversation_id": "session_id",
    "team": "team",
    "_team": "team",
    "environment": "environment",
    "env": "environment",
    "_environment": "environment",
    "agent": "agent",
    "cost_center": "cost_center",
}
#: These would make a tag of each request.
_NO_TAGS = {"user_id", "session_id"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The names found in metadata; tags are all others and those that group requests."""

    user_id: str = ""
    session_id: str = ""
    team: str = ""
    environment: str = ""
    agent: str = ""
    cost_center: str = ""
    tags: tuple[tuple[str, str], ...] = ()

    def where(self, **known: Any) -> dict[str, Any]:
        """The fields of Place that they name; what a log's own columns know goes before."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return found | {name: value for name, value in known.items() if value}


def labels_of(metadata: Mapping[str, object] | None, where: str) -> Labels:
    """The labels in a mapping of scalars; lists and objects inside it are no labels.

    Raises RejectedError too_many_fields above 64 tags.
    """
    found: dict[str, str] = {}
    tags: dict[str, str] = {}
    for key, value in (metadata or {}).items():
        if isinstance(value, bool) or not isinstance(value, str | int):
            continue
        name, written = text(key, where), text(str(value), f"{where}.{shown(key, 80)}")
        meaning = _MEANINGS.get(name.lower().replace("-", "_"))
        if meaning and written:
            found.setdefault(meaning, written)
        if meaning not in _NO_TAGS:
            tags[name] = written
    return Labels(**found, tags=checked_tags(tags))


def checked_tags(tags: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Tags in the order of their keys, at most TAG_LIMIT; what has no key is none."""
    if len(tags) > TAG_LIMIT:
        raise RejectedError("too_many_fields", f"{len(tags)} tags, at most {TAG_LIMIT} are kept")
    return tuple(sorted((key, value) for key, value in tags.items() if key))


def tags_of_words(words: Iterable[object], where: str) -> dict[str, str]:
    """A list of tags, each 'key:value' or a bare word."""
    found: dict[str, str] = {}
    for word in words:
        key, _, value = text(word, where, TEXT_LIMIT).partition(":")
        found.setdefault(key.strip(), value.strip())
    return found
