"""Two answers of one reading of the ledger: sums by group, and a few of them by bucket."""

from collections.abc import Collection, Sequence

from accounting.queries.filters import UsageFilter
from accounting.queries.grouping import inner, key_names
from accounting.queries.sources import sources_of
from accounting.queries.totals import is_amount
from accounting.queries.wrapping import Row, wrapped

#: The ledger is summed by bucket and group, and what that leaves is little: it is grouped twice.
_TWICE = "WITH cells AS MATERIALIZED ({{}}) {groups} UNION ALL {buckets} ORDER BY {order}"


def summed_at_once(
    wanted: UsageFilter,
    dimensions: Sequence[str],
    sums: Sequence[str],
    drawn: Sequence[str],
    *,
    is_by_group: bool = True,
) -> tuple[list[Row], list[Row]]:
    """Rows by dimensions with sums, and rows by the filter's bucket with the sums drawn. One statement.

    is_by_group: the latter are by dimensions too. Rows are as those of summed, of one source.
    """
    names, sums = key_names(wanted, dimensions), _unique(("parts", *sums))
    every = _unique((*sums, *drawn))
    groups = [f"key_{place}" for place in range(len(dimensions))]
    (source,) = sources_of(wanted, dimensions).parts
    statement = _TWICE.format(
        groups=_select(0, names, names[1:], every, sums),
        buckets=_select(1, names, names if is_by_group else names[:1], every, drawn),
        order=", ".join(("place", *names, "currency")),
    )
    found: tuple[list[Row], list[Row]] = [], []
    for row in wrapped(statement, inner(source, names, dimensions, every)):
        # Groups have their keys from the first place on, as those of a filter without a bucket.
        keys = {} if row["place"] else dict(zip(groups, (row[n] for n in names[1:]), strict=True))
        found[row["place"]].append({**row, **keys})
    return found


def _select(
    place: int,
    names: Sequence[str],
    kept: Sequence[str],
    every: Sequence[str],
    sums: Collection[str],
) -> str:
    """One of the two answers; what belongs to the other is NULL."""
    keys = [name if name in kept else f"NULL AS {name}" for name in names]
    shown = [
        f"sum(sum_{name}){'' if is_amount(name) else '::bigint'} AS sum_{name}"
        if name in sums
        else f"NULL AS sum_{name}"
        for name in every
    ]
    # Put together from names of ours.
    return f"""
        SELECT {", ".join((f"{place} AS place", *keys, "currency", *shown))}
        FROM cells GROUP BY {", ".join((*kept, "currency"))}
    """  # noqa: S608


def _unique(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
