"""Single requests, newest first, page by page: what each used and cost, and the line it came from."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import accumulate, batched
from typing import Any

from django.db.models import Q

from accounting.domain.periods import day_of, day_start, month_of
from accounting.domain.ranges import DAY
from accounting.models import Import
from accounting.queries.filters import UsageFilter
from accounting.queries.grouping import summed, whole_of
from accounting.queries.selection import conditions, events_between, events_of
from accounting.queries.snapshots import CHUNK_ROWS
from accounting.queries.spend import Member, members_of
from accounting.queries.totals import Totals
from accounting.queries.wrapping import Row

#: However many are asked for, a page has no more rows.
MOST_REQUESTS = 1_000
#: When a request started, and its key in hex.
type RequestKey = tuple[datetime, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """Where a request was read: line and byte offset inside path, a file of the import.

    import_name: '' where the import is not kept any more. line: 0 for what no source told.
    """

    import_id: int
    import_name: str
    path: str
    line: int
    byte_offset: int | None
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRow:
    """One row of the ledger. part: 0 is the request itself, others are priced apart from it.

    Counts are None while unknown, cost while nothing of it has a price. price_version: of the prices
    it was rated with.
    """

    occurred_at: datetime
    dedupe_key: str
    part: int
    status: str
    project: Member
    api_key: Member
    user_id: str
    team: str
    session_id: str
    agent: str
    provider: str
    model: str
    request_model: str
    operation: str
    http_status: int | None
    error_type: str
    error_origin: str
    finish_reason: str
    usage_state: str
    input_tokens: int | None
    cache_read_input_tokens: int | None
    cache_write_input_tokens: int | None
    output_tokens: int | None
    reasoning_output_tokens: int | None
    max_output_tokens: int | None
    duration_ms: float | None
    ttft_ms: float | None
    cost_state: str
    currency: str
    cost: Decimal | None
    credits: Decimal | None
    unpriced_tokens: int
    reported_cost: Decimal | None
    reported_currency: str
    price_version: int
    lineage: Lineage

    @property
    def key(self) -> RequestKey:
        """What the next page begins behind: in UTC, as months of the ledger are."""
        return self.occurred_at.astimezone(UTC), self.dedupe_key


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPage:
    """One page of requests; totals are of the whole filter, never of the page."""

    wanted: UsageFilter
    rows: tuple[RequestRow, ...]
    totals: Totals
    has_more: bool


_LINEAGE = ("import_id", "path", "line", "byte_offset", "source")
_OWNERS = ("project_id", "api_key_id")
_PLAIN = tuple(
    field.name
    for field in fields(RequestRow)
    if field.name not in {"project", "api_key", "lineage", "dedupe_key", "occurred_at"}
)


_READ = ("occurred_at", "dedupe_key", *_PLAIN, *_OWNERS, *_LINEAGE)
_NEWEST_FIRST = ("-occurred_at", "-dedupe_key")


def request_page(
    wanted: UsageFilter, *, limit: int = 100, after: RequestKey | None = None
) -> RequestPage:
    """A filter's requests, newest first, behind the one with the key after. Five statements.

    One for the totals, one for the rows, one each for the names of projects, keys and imports. The
    totals are asked by day, so that rows are looked for in the days alone that have them, however few
    they are. Uses index usageevent_organization_time backwards, so a page costs the same wherever it lies.
    """
    limit = min(limit, MOST_REQUESTS)
    days = summed(replace(wanted, bucket="day")).rows
    found = _found(wanted, days, limit + 1, after)
    return RequestPage(
        wanted=wanted,
        rows=tuple(_rows(wanted, found[:limit])),
        totals=whole_of(days),
        has_more=len(found) > limit,
    )


def each_request(wanted: UsageFilter) -> Iterator[RequestRow]:
    """All of a filter's requests, newest first, of which few are held. To be asked in a snapshot."""
    events = events_of(wanted).order_by(*_NEWEST_FIRST).values(*_READ)
    for found in batched(events.iterator(CHUNK_ROWS), CHUNK_ROWS, strict=False):
        yield from _rows(wanted, found)


def _found(
    wanted: UsageFilter, days: Iterable[Row], most: int, after: RequestKey | None
) -> list[dict[str, Any]]:
    """The next rows, at most so many. days: how many rows each day has, by currency."""
    span = _span(wanted, days, most, after)
    if span is None:
        return []
    events = events_between(wanted, *span).filter(conditions(wanted))
    if after is not None:
        month = month_of(after[0].astimezone(UTC))
        events = events.filter(_behind(after), month__lte=month)
    return list(events.order_by(*_NEWEST_FIRST).values(*_READ)[:most])


def _span(
    wanted: UsageFilter, days: Iterable[Row], most: int, after: RequestKey | None
) -> tuple[datetime, datetime] | None:
    """From when until when the next rows lie, at most so many; None where there are none."""
    rows_of: Counter[date] = Counter()
    for row in days:
        rows_of[row["key_0"]] += row["sum_parts"]
    newest = day_of(after[0], wanted.zone) if after else date.max
    left = sorted((day for day in rows_of if day <= newest), reverse=True)
    if not left:
        return None
    # How many rows of its day lie behind a key, days don't tell.
    known = accumulate(rows_of[day] if day < newest else 0 for day in left)
    first = next((day for day, rows in zip(left, known, strict=True) if rows >= most), left[-1])
    return (
        max(wanted.starts_at, day_start(first, wanted.zone)),
        min(wanted.ends_at, day_start(left[0] + DAY, wanted.zone)),
    )


def _behind(after: RequestKey) -> Q:
    """Older than a request. The index is entered at its moment, whatever shares it."""
    at, key = after
    older = Q(occurred_at__lt=at) | Q(dedupe_key__lt=bytes.fromhex(key))
    return Q(occurred_at__lte=at) & older


def _rows(wanted: UsageFilter, found: Sequence[Mapping[str, Any]]) -> list[RequestRow]:
    organization_id = wanted.organization_id
    projects = members_of(organization_id, "project", {row["project_id"] for row in found})
    keys = members_of(organization_id, "key", {row["api_key_id"] or 0 for row in found})
    imports = Import.objects.of(organization_id).filter(pk__in={row["import_id"] for row in found})
    named = {pk: name or door for pk, name, door in imports.values_list("pk", "name", "door")}
    return [
        RequestRow(
            **{name: row[name] for name in _PLAIN},
            occurred_at=row["occurred_at"].astimezone(wanted.zone),
            dedupe_key=bytes(row["dedupe_key"]).hex(),
            project=projects[row["project_id"]],
            api_key=keys[row["api_key_id"] or 0],
            lineage=Lineage(
                **{name: row[name] for name in _LINEAGE},
                import_name=named.get(row["import_id"], ""),
            ),
        )
        for row in found
    ]
