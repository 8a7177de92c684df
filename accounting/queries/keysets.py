"""Rows behind a row, by several columns at once: what pages are cut by."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Func, QuerySet, TextField, Value
from django.db.models.expressions import Combinable, F
from django.db.models.lookups import GreaterThan


def behind[Rows: QuerySet[Any, Any]](
    rows: Rows, columns: Sequence[str], key: Sequence[object] | None
) -> Rows:
    """The rows whose columns, of which none is NULL, come after a key; all of them without one."""
    if key is None:
        return rows
    values = [Value(part) for part in key]
    found: Rows = rows.filter(GreaterThan(_row([F(name) for name in columns]), _row(values)))
    return found


def _row(parts: Sequence[Combinable]) -> Func:
    return Func(*parts, function="ROW", output_field=TextField())
