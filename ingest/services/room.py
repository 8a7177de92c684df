"""Whether there is room for more bytes: in the inbox of whoever sends them, and on the disk.

A sender that is faster than the workers is asked to come again, and nobody else notices. A disk that is
nearly full takes nothing in: PostgreSQL that finds it full ends, and then nobody can do anything.
"""

import os
from pathlib import Path

from django.conf import settings
from django.db import connection

from accounting.embedded.places import cluster_of

#: Beside the bytes, so many chunks may wait: tiny pushes cost more than what they hold.
MAX_WAITING_CHUNKS = 10_000
#: One key alone may have this part of what its organization may have.
SHARE_OF_A_KEY = 2
FREE_BYTES = 1_000_000_000

# Uses index: inboxchunk_not_read_yet. Uploads are a person's, whose next one has a check of its own.
WAITING = """
    SELECT
        count(*),
        coalesce(sum(c.size), 0),
        count(*) FILTER (WHERE i.api_key_id = %(key)s),
        coalesce(sum(c.size) FILTER (WHERE i.api_key_id = %(key)s), 0)
    FROM ingest_inboxchunk AS c
    JOIN accounting_import AS i ON i.id = c.source_import_id
    WHERE c.organization_id = %(organization)s
      AND c.state IN ('receiving', 'ready')
      AND i.door = %(door)s
"""


def crowded(*, organization_id: int, api_key_id: int | None) -> str:
    """Why a push, or without a key an upload, must wait until more has been read; else ''. One query.

    Uploads that wait may have twice the size of the largest one.
    """
    door = "upload" if api_key_id is None else "push"
    wanted = {"organization": organization_id, "key": api_key_id, "door": door}
    with connection.cursor() as cursor:
        cursor.execute(WAITING, wanted)
        chunks, size, chunks_of_key, size_of_key = cursor.fetchone()
    most = settings.MAX_WAITING_BYTES if api_key_id else 2 * settings.MAX_UPLOAD_BYTES
    if size >= most or chunks >= MAX_WAITING_CHUNKS:
        return f"{size:,} bytes of this organization's in {chunks:,} parts wait to be read"
    share = SHARE_OF_A_KEY
    if size_of_key >= most / share or chunks_of_key >= MAX_WAITING_CHUNKS / share:
        return f"{size_of_key:,} bytes of this key's in {chunks_of_key:,} parts wait to be read"
    return ""


def short_of_space(size: int) -> str:
    """Why so many bytes are not taken in: too little is free on the disk of the private PostgreSQL.

    '' where there is enough. Of a PostgreSQL elsewhere nothing is known here; whoever runs it watches it.
    """
    if not settings.EMBEDDED:
        return ""
    needed = max(FREE_BYTES, 2 * size)
    free = free_bytes(cluster_of(settings.DATA_FOLDER))
    if free >= needed:
        return ""
    return f"{free:,} bytes are free on the disk of the books, {needed:,} are needed"


def free_bytes(folder: Path) -> int:
    """What is free for an ordinary user on the disk of a folder."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize
