"""Reports of many requests together: their rows as aggregates, and the formats that hold them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from accounting.domain.aggregates import Aggregate
from accounting.domain.tokens import TokenCounts
from accounting.domain.usage import NOTHING_REPORTED
from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    RejectedError,
    Sample,
    Scope,
    State,
    Unit,
)
from ingest.formats.fields import outcomes, text
from ingest.formats.moments import moment
from ingest.formats.occurrences import Seen, numbered
from ingest.formats.pages import row_items

Period = tuple[datetime, datetime]
_DAY = timedelta(days=1)
_EXTENSIONS = {Unit.JSON: (".json", ".jsonl"), Unit.CSV: (".csv",)}


def aggregate(  # noqa: PLR0913  one argument for each thing a row is known by
    source: str,
    seen: Seen,
    *,
    period: Period,
    provider: str,
    model: str,
    dimensions: Mapping[str, object],
    counts: TokenCounts = NOTHING_REPORTED,
    **values: Any,
) -> Aggregate:
    """A row of a report, known by its period and dimensions; values: requests, cost, credits.

    dimensions: what else tells rows of one period apart; unknown ones are left out.
    """
    told = tuple(
        (name, text(_written(value), name))
        for name, value in sorted(dimensions.items())
        if value not in (None, "")
    )
    start, end = period
    basis = (source, start.isoformat(), end.isoformat(), provider, model, told)
    return Aggregate(
        source=source,
        fingerprint=numbered(seen, *basis),
        period_start=start,
        period_end=end,
        provider=provider,
        model=model,
        dimensions=told,
        input_tokens=counts.input_tokens,
        cache_read_input_tokens=counts.cache_read_input_tokens,
        cache_write_input_tokens=counts.cache_write_input_tokens,
        output_tokens=counts.output_tokens,
        web_search_requests=counts.web_search_requests,
        **values,
    )


def period_of(start: datetime | None, end: datetime | None, field: str) -> Period:
    """A period that both ends are told of, the right way round."""
    if start is None or end is None or end < start:
        raise RejectedError("bad_period", f"{field} is no period that begins and ends", field=field)
    return start, end


def day_of(written: str | None, field: str) -> Period:
    """The UTC day of a date, an ISO date or one as Americans write it (9/5/26)."""
    day = (written or "").strip()
    parts = day.split("/")
    if len(parts) == 3 and all(part.isascii() and part.isdecimal() for part in parts):
        month, monthday, year = (int(part) for part in parts)
        day = f"{year + 2000 * (year < 100):04d}-{month:02d}-{monthday:02d}"
    found = moment(f"{day}T00:00:00Z" if len(day) == 10 else day, field, naive_is_utc=True)
    if found is None:
        raise RejectedError("missing_field", f"a row without {field}", field=field)
    start = datetime(found.year, found.month, found.day, tzinfo=UTC)
    return start, start + _DAY


def report_format(  # noqa: PLR0913  one argument for each thing a format declares
    *,
    name: str,
    title: str,
    row: Callable[[Seen, Item], Outcome],
    recognise: Callable[[Sample], str],
    convention: Convention,
    where: str,
    source: str,
    unit: Unit = Unit.JSON,
    pages: tuple[str, ...] = (),
) -> Format:
    """A format whose records are rows of a report. pages: where rows stand in an API's answer."""
    return Format(
        name=name,
        title=title,
        unit=unit,
        scope=Scope.FILE,
        convention=convention,
        key="period and dimensions, and which of its equals in the file a row is",
        where=where,
        source=source,
        recognise=recognise,
        read=partial(_read, row, pages),
        new_state=Seen,
        extensions=_EXTENSIONS[unit],
    )


def columns_seen(wanted: set[str], sample: Sample) -> str:
    """The reason to know a table by these columns, '' when it lacks one."""
    return f"has the columns {', '.join(sorted(wanted))}" if wanted <= {*sample.header} else ""


def _read(
    row: Callable[[Seen, Item], Outcome],
    pages: tuple[str, ...],
    items: Iterable[Item],
    _options: Options,
    state: State,
) -> Iterator[Outcome]:
    """One outcome for each row."""
    if not isinstance(state, Seen):
        raise TypeError(f"{state!r} is no state of a report")
    return outcomes(row_items(items, *pages) if pages else items, partial(row, state))


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
