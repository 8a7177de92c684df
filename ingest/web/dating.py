"""Which requests of an import have no time of their own, and what dated them instead."""

from dataclasses import dataclass
from datetime import datetime

from accounting.models import Import
from ingest.services.booking import ASSUMED_TIMES

#: Ways in by which a file's own time of change is known.
_OF_FILES = frozenset({"command", "watch"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Dating:
    """So many requests without a time. by: chosen, file or arrival; at: the moment, None of a file."""

    requests: int
    by: str
    at: datetime | None


def dating_of(source: Import) -> Dating | None:
    """What dated the requests that name no time; None where each names its own."""
    requests = source.options.get(ASSUMED_TIMES, 0)
    if not requests:
        return None
    if chosen := source.options.get("started_at"):
        return Dating(requests=requests, by="chosen", at=datetime.fromisoformat(chosen))
    if source.door in _OF_FILES:
        return Dating(requests=requests, by="file", at=None)
    return Dating(requests=requests, by="arrival", at=source.received_at)
