"""Reports that an API gives in buckets: spans of time, each with its results, one row each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from accounting.domain.tokens import TokenCounts
from accounting.domain.usage import NOTHING_REPORTED
from ingest.formats.base import Aggregated, Convention, Format, Item, Outcome, Sample, Skipped
from ingest.formats.moments import moment
from ingest.formats.occurrences import Seen
from ingest.formats.pages import rows_seen
from ingest.formats.reports import aggregate, period_of, report_format


class Bucket[Result](Protocol):
    """A span of time, as its format decodes it."""

    @property
    def results(self) -> Sequence[Result]:
        """What was used or charged in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one result tells. dimensions: what else tells the results of one bucket apart."""

    model: str
    dimensions: Mapping[str, object]
    counts: TokenCounts = NOTHING_REPORTED
    requests: int | None = None
    reported_cost: Decimal | None = None
    reported_currency: str = ""


def bucket_format[Result](  # noqa: PLR0913  one argument for each thing a format declares
    *,
    name: str,
    title: str,
    provider: str,
    bucket: Callable[[Item], Bucket[Result]],
    ends: tuple[str, str],
    row: Callable[[Result], Row],
    recognise: Callable[[Sample], str],
    convention: Convention,
    where: str,
    source: str,
) -> Format:
    """A report in buckets, alone or on the pages of its API.

    bucket: decodes one. ends: the names of its start and end. row: what one result tells.
    """

    def read(seen: Seen, item: Item) -> Outcome:
        """One bucket; one without results reports nothing."""
        told = bucket(item)
        start, end = (moment(getattr(told, each), each) for each in ends)
        period = period_of(start, end, ends[0])
        rows = tuple(
            aggregate(
                name,
                seen,
                period=period,
                provider=provider,
                model=each.model,
                dimensions=each.dimensions,
                counts=each.counts,
                requests=each.requests,
                reported_cost=each.reported_cost,
                reported_currency=each.reported_currency,
            )
            for each in map(row, told.results)
        )
        return Aggregated(line=item.line, aggregates=rows) if rows else Skipped(line=item.line)

    return report_format(
        name=name,
        title=title,
        row=read,
        recognise=recognise,
        convention=convention,
        where=where,
        source=source,
        pages=("data",),
    )


def results_seen(sample: Sample) -> Iterator[Mapping[str, object]]:
    """The results in the buckets of a sample, a page of buckets or buckets alone."""
    for bucket in rows_seen(sample, "data"):
        results = bucket.get("results")
        for each in results if isinstance(results, list) else ():
            if isinstance(each, dict):
                yield each
