"""The doors close for a while where there is no room: for one sender, or for all."""

from accounting.api.problems import ProblemError
from ingest.services.room import crowded, short_of_space


def refuse_without_room(*, organization_id: int, api_key_id: int | None, size: int | None) -> None:
    """ProblemError 429 where too much of this sender waits to be read; 503 or 507 where the disk is full.

    size: as announced. Programs come again after a 503, and their bytes are not lost; a 507 is for people.
    """
    if reason := short_of_space(size or 0):
        raise ProblemError("disk_full" if api_key_id else "no_space", f"{reason}; nothing was kept")
    if reason := crowded(organization_id=organization_id, api_key_id=api_key_id):
        raise ProblemError("inbox_full", f"{reason}; nothing was kept, send it again later")
