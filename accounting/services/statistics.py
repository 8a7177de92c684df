"""The planner's statistics after large imports.

PostgreSQL looks at a table again within a minute or so. Until then it takes a table that was empty a
moment ago for tiny, and joins thousands of sessions or prices row by row: the first page after the first
import would wait half a minute.
"""

from collections.abc import Iterable

from django.db import connection

from accounting.services.dryrun import is_dry
from accounting.services.rollup_sums import ROLLUPS

#: Fewer new events than this change no plan that matters.
LARGE = 1_000


#: The tables that a price list fills.
PRICES = ("accounting_llmmodel", "accounting_modelalias", "accounting_rate")


def after_import(recorded: int) -> None:
    """Read the rollups' statistics again where an import recorded many events."""
    if recorded >= LARGE and not is_dry():
        _analyse(rollup.table for rollup in ROLLUPS)


def after_price_list() -> None:
    """Read the statistics of prices again after a list was loaded."""
    _analyse(PRICES)


def _analyse(tables: Iterable[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {', '.join(tables)}")
