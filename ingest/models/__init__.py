"""Tables of getting logs in."""

from ingest.models.inbox import InboxChunk

__all__ = ["InboxChunk"]
