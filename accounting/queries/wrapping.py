"""Statements around compiled querysets: unions that are summed, and sums over windows.

Django's own aggregate neither over a union nor, by group, over windows.
"""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet

type Row = dict[str, Any]


def wrapped(statement: str, *inner: QuerySet[Any, Any], after: Sequence[Any] = ()) -> list[Row]:
    """The rows of one statement around querysets, by the names of their columns.

    statement: SQL of ours in which each {} stands for the querysets in their order, joined by UNION
    ALL where there are more than one. after: parameters behind those of the querysets. A queryset
    that is known to be empty is left out; nothing is asked where all are.
    """
    compiled = [part for queryset in inner if (part := _compiled(queryset))]
    if not compiled:
        return []
    together = " UNION ALL ".join(f"({sql})" for sql, _ in compiled)
    parameters = [value for _, values in compiled for value in values]
    with connection.cursor() as cursor:
        cursor.execute(statement.replace("{}", together), [*parameters, *after])
        names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _compiled(queryset: QuerySet[Any, Any]) -> tuple[str, tuple[Any, ...]] | None:
    try:
        sql, parameters = queryset.query.sql_with_params()
    except EmptyResultSet:
        return None
    return sql, tuple(parameters)
