"""What source records came to, on its way from a format's reader to the books."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from accounting.models.addends import CORRECTION
from accounting.services.aggregates import ReportLine
from accounting.services.posting import Telling
from ingest.formats.base import (
    Aggregated,
    Counted,
    Format,
    Item,
    Options,
    Outcome,
    Rejected,
    Skipped,
    State,
)
from ingest.services.attribution import Attribution, Origin

#: A push that tells of later usage is rejected: its clock is wrong, or its unit of time.
PUSH_AHEAD = timedelta(minutes=10)
#: A file is read whatever its times; later ones are only pointed out.
FILE_AHEAD = timedelta(days=1)
#: Of the lines with one doubt, so many are named.
DOUBTS_LISTED = 20
IN_FUTURE = "in_future"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A source record, or with line None a whole file, that could not be read.

    path: the file inside its input, '' where the input is one file.
    """

    path: str
    line: int | None
    code: str
    reason: str
    offset: int | None = None
    field: str = ""
    value: str = ""


@dataclass(slots=True, kw_only=True)
class Outcomes:
    """What a batch of source records came to; posted in one transaction.

    A telling's line here is its number in `origins`: in a folder many files have a line 1.
    doubted: the first places of each warning, at most DOUBTS_LISTED.
    """

    tellings: list[Telling] = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)
    reports: list[ReportLine] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    skipped: int = 0
    warnings: Counter[str] = field(default_factory=Counter)
    doubted: dict[str, list[Origin]] = field(default_factory=dict)

    def warn(self, codes: Iterable[str], origin: Origin) -> None:
        """Count doubts about a record, and keep where the first ones stand."""
        for code in codes:
            self.warnings[code] += 1
            places = self.doubted.setdefault(code, [])
            if len(places) < DOUBTS_LISTED:
                places.append(origin)

    def moments(self) -> Iterator[datetime]:
        """When the requests of this batch started."""
        for telling in self.tellings:
            for record in telling.records:
                yield record.place.started_at

    def assumed_times(self) -> int:
        """How many requests of this batch have no time of their own."""
        return sum(
            record.place.time_quality == "assumed"
            for telling in self.tellings
            for record in telling.records
        )

    def periods(self) -> Iterator[datetime]:
        """Where the periods of this batch's reports begin and end."""
        for line in self.reports:
            for aggregate in line.aggregates:
                yield aggregate.period_start
                yield aggregate.period_end

    def run_ids(self) -> set[int]:
        """The benchmark runs that the requests of this batch belong to."""
        runs = {r.place.run_id for telling in self.tellings for r in telling.records}
        return {run_id for run_id in runs if run_id is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads source records of one import into outcomes.

    is_push, now: usage of a push may not lie later than now + 10 minutes.
    """

    attribution: Attribution
    now: datetime
    is_push: bool

    def read(
        self,
        outcomes: Outcomes,
        items: Iterable[Item],
        *,
        known: Format,
        options: Options,
        state: State,
        path: str,
    ) -> None:
        """Add the outcome of each item; state goes on to the items after them.

        path: as Refused names the file.
        """
        place = _Place()
        for outcome in known.read(place.watched(items), options, state):
            origin = Origin(path=path, line=outcome.line, offset=place.offset_of(outcome))
            match admitted(outcome, now=self.now, is_push=self.is_push):
                case Counted() as counted:
                    if counted.warnings:
                        outcomes.warn(counted.warnings, origin)
                    self._tell(outcomes, counted, origin, known, options)
                case Aggregated() as told:
                    run_id = None
                    if told.run is not None:
                        run_id = self.attribution.run_id(told.run, known, options)
                    line = ReportLine(aggregates=told.aggregates, run_id=run_id)
                    outcomes.reports.append(line)
                case Skipped():
                    outcomes.skipped += 1
                case Rejected() as rejected:
                    outcomes.refused.append(
                        Refused(
                            path=path,
                            line=rejected.line,
                            offset=origin.offset,
                            code=rejected.code,
                            reason=rejected.reason,
                            field=rejected.field,
                            value=rejected.value,
                        )
                    )

    def _tell(
        self,
        outcomes: Outcomes,
        counted: Counted,
        origin: Origin,
        known: Format,
        options: Options,
    ) -> None:
        records = [
            self.attribution.settled(record, counted, known, options, origin)
            for record in counted.records
        ]
        outcomes.tellings.append(Telling(line=len(outcomes.origins), records=tuple(records)))
        outcomes.origins.append(origin)


def admitted(outcome: Outcome, *, now: datetime, is_push: bool) -> Outcome:
    """The outcome, judged by the clock and by what only the books themselves may say."""
    if not isinstance(outcome, Counted):
        return outcome
    records = outcome.records
    if CORRECTION in [record.use.operation for record in records]:
        return Rejected(
            line=outcome.line,
            offset=0,
            code="unknown_value",
            reason=f"operation={CORRECTION!r} is the books' own word for what closed months lacked",
            field="operation",
            value=CORRECTION,
        )
    latest = max([record.place.started_at for record in records])
    if is_push and latest > now + PUSH_AHEAD:
        shown = latest.isoformat()
        return Rejected(
            line=outcome.line,
            offset=0,
            code=IN_FUTURE,
            reason=f"it started at {shown}, later than {PUSH_AHEAD} from now",
            value=shown,
        )
    if latest > now + FILE_AHEAD:
        return replace(outcome, warnings=(*outcome.warnings, IN_FUTURE))
    return outcome


class _Place:
    """Remembers where the item stands that a reader took last."""

    def __init__(self) -> None:
        self._line = 0
        self._offset = 0

    def watched(self, items: Iterable[Item]) -> Iterator[Item]:
        for item in items:
            self._line, self._offset = item.line, item.offset
            yield item

    def offset_of(self, outcome: Outcome) -> int | None:
        if isinstance(outcome, Rejected) and outcome.offset:
            return outcome.offset
        return self._offset if outcome.line == self._line else None
