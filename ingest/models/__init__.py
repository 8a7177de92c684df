"""Tables of getting logs in."""

from ingest.models.inbox import Circuit, InboxChunk
from ingest.models.watching import WatchedFile, WatchedFolder

__all__ = ["Circuit", "InboxChunk", "WatchedFile", "WatchedFolder"]
