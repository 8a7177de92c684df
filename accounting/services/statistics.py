"""The planner's statistics after large imports.

PostgreSQL looks at a table again within a minute or so. Until then it takes a table that was empty a
moment ago for tiny, and joins thousands of sessions row by row: the first page after the first import
would wait half a minute.
"""

from django.db import connection

from accounting.services.dryrun import is_dry
from accounting.services.rollup_sums import ROLLUPS

#: Fewer new events than this change no plan that matters.
LARGE = 1_000


def after_import(recorded: int) -> None:
    """Read the rollups' statistics again where an import recorded many events."""
    if recorded < LARGE or is_dry():
        return
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {', '.join(rollup.table for rollup in ROLLUPS)}")
