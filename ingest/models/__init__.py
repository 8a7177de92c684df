"""Tables of getting logs in."""

from ingest.models.inbox import Circuit, InboxChunk

__all__ = ["Circuit", "InboxChunk"]
