"""Benchmark runs: what each measured, what it cost, and two of them side by side."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.db.models import (
    Count,
    DateTimeField,
    Exists,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    Value,
)
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

from accounting.models import Run, UsageAggregate, UsageEvent
from accounting.queries.percentiles import Percentile
from accounting.queries.tables import ledger_sums
from accounting.queries.totals import NOTHING, SUM_NAMES, Totals, totals_of

MOST_RUNS = 200
#: When a run started, and its id.
type RunKey = tuple[datetime, int]
_EVER = datetime(1970, 1, 1, tzinfo=UTC)
_MTOK = 10**6
_ENDED = "occurred_at + coalesce(duration_ms, 0) * interval '1 millisecond'"
_COUNTS = ("requests", "input_tokens", "cache_read_input_tokens", "output_tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Latencies in ms over a run's answered requests, and the time from its first start to its end.

    All None where no request tells them. elapsed: None too where all requests bear one time, because
    then nobody wrote down when each began.
    """

    ttft_p50: float | None = None
    ttft_p95: float | None = None
    tpot_p50: float | None = None
    tpot_p95: float | None = None
    elapsed: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkRun:
    """One run. totals: of its requests in the books; told: what the run's own summary says instead.

    told is None for runs of which no summary was read; its counts are None where it leaves them out,
    and elapsed is the span it speaks of. figures: what it measured, by the tool's names.
    """

    id: int
    label: str
    tool: str
    model: str
    settings: Mapping[str, str]
    started_at: datetime | None
    totals: Totals
    measured: Measured
    told: "Told | None"

    @property
    def key(self) -> RunKey:
        """What the next page begins behind."""
        return self.started_at or _EVER, self.id

    @property
    def output_tokens_per_second(self) -> Fraction | None:
        """Output tokens of all requests together / the time from the first start to the last end.

        None where nothing was put out, as by a test of prompts alone: that measures no such speed.
        """
        if self.totals.output_tokens is not None:
            return _rate(self.totals.output_tokens or None, self.measured.elapsed)
        return _rate(self.told.output_tokens or None, self.told.elapsed) if self.told else None

    @property
    def cost_per_mtok_output(self) -> tuple[tuple[str, Fraction], ...]:
        """What a million output tokens came to in each currency, input included."""
        output = self.totals.output_tokens
        if not output:
            return ()
        return tuple((c.currency, Fraction(c.amount) * _MTOK / output) for c in self.totals.costs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A run's own summary: requests that were answered, and tokens, over its span."""

    requests: int | None
    input_tokens: int | None
    cache_read_input_tokens: int | None
    output_tokens: int | None
    reported_cost: Decimal | None
    reported_currency: str
    elapsed: timedelta
    figures: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """One page of runs, newest first."""

    runs: tuple[BenchmarkRun, ...]
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPair:
    """Two runs and the settings in which they differ: name, the one's value, the other's or None."""

    one: BenchmarkRun
    other: BenchmarkRun
    differing: tuple[tuple[str, str | None, str | None], ...]


def benchmark_runs(
    organization_id: int,
    *,
    limit: int = 50,
    after: RunKey | None = None,
    only_project_id: int | None = None,
) -> RunPage:
    """Runs, newest first; those that tell no start come last. Four statements.

    only_project_id: only those of which every request in the books is charged to this project.
    Percentiles are exact: they are read from the runs' own requests, by index usageevent_run.
    """
    limit = min(limit, MOST_RUNS)
    runs = _seen(organization_id, only_project_id).annotate(
        began=Coalesce("started_at", Value(_EVER, output_field=DateTimeField()))
    )
    if after is not None:
        runs = runs.filter(Q(began__lt=after[0]) | Q(began=after[0], pk__lt=after[1]))
    found = list(runs.order_by("-began", "-pk")[: limit + 1])
    return RunPage(
        runs=tuple(_measured(organization_id, found[:limit])), has_more=len(found) > limit
    )


def runs_side_by_side(organization_id: int, one: int, other: int) -> RunPair | None:
    """Two runs by id, None where either is none of the organization's. Four statements."""
    found = Run.objects.of(organization_id).filter(pk__in=[one, other])
    runs = {run.id: run for run in _measured(organization_id, found)}
    if one not in runs or other not in runs:
        return None
    left, right = runs[one], runs[other]
    names = sorted({*left.settings, *right.settings})
    pairs = ((name, left.settings.get(name), right.settings.get(name)) for name in names)
    return RunPair(
        one=left, other=right, differing=tuple(pair for pair in pairs if pair[1] != pair[2])
    )


def _seen(organization_id: int, only_project_id: int | None) -> QuerySet[Run]:
    runs = Run.objects.of(organization_id)
    if only_project_id is None:
        return runs
    requests = UsageEvent.objects.of(organization_id).filter(run_id=OuterRef("pk"))
    return runs.filter(
        Exists(requests.filter(project_id=only_project_id)),
        ~Exists(requests.exclude(project_id=only_project_id)),
    )


def _measured(organization_id: int, runs: Iterable[Run]) -> list[BenchmarkRun]:
    runs = list(runs)
    ids = [run.pk for run in runs]
    # Not bounded by months: a run may be of any, and its index is small.
    events = UsageEvent.objects.of(organization_id).filter(run_id__in=ids)
    totals, measures = _totals(events), _measures(events)
    told = _told(organization_id, ids)
    return [
        BenchmarkRun(
            id=run.pk,
            label=run.label,
            tool=run.tool,
            model=run.model,
            settings=run.settings,
            started_at=run.started_at,
            totals=totals.get(run.pk, NOTHING),
            measured=measures.get(run.pk, Measured()),
            told=told.get(run.pk),
        )
        for run in runs
    ]


def _totals(events: QuerySet[UsageEvent]) -> dict[int, Totals]:
    rows: QuerySet[Any, Any] = events.values("run_id", "currency")
    found: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows.annotate(**ledger_sums(SUM_NAMES)).order_by():
        found[row["run_id"]].append(row)
    return {run: totals_of(parts) for run, parts in found.items()}


def _measures(events: QuerySet[UsageEvent]) -> dict[int, Measured]:
    answered: QuerySet[Any, Any] = events.filter(part=0, status__in=("ok", "cancelled"))
    rows = (
        answered.values("run_id")
        .annotate(
            **{
                f"{name}_p{percent}": Percentile(
                    f"{name}_ms", share=f"0.{percent}", filter=Q(**{f"{name}_ms__gt": 0})
                )
                for name in ("ttft", "tpot")
                for percent in (50, 95)
            },
            starts=Count("occurred_at", distinct=True),
            count=Count("dedupe_key"),
            timed=Sum("duration_ms"),
            began=Min("occurred_at"),
            ended=Max(RawSQL(_ENDED, (), output_field=DateTimeField())),  # noqa: S611  a constant
        )
        .order_by()
    )
    return {row["run_id"]: _one_measured(row) for row in rows}


def _one_measured(row: Mapping[str, Any]) -> Measured:
    # Requests that all begin at once tell when the run was, not when each of them was sent.
    is_timed = row["timed"] is not None and (row["starts"] > 1 or row["count"] == 1)
    return Measured(
        **{name: row[name] for name in ("ttft_p50", "ttft_p95", "tpot_p50", "tpot_p95")},
        elapsed=row["ended"] - row["began"] if is_timed else None,
    )


def _told(organization_id: int, ids: Iterable[int]) -> dict[int, Told]:
    """The runs' summaries; of several of one run the one that ends last."""
    rows = UsageAggregate.objects.of(organization_id).filter(run_id__in=list(ids))
    return {
        row.run_id: Told(
            **{name: getattr(row, name) for name in _COUNTS},
            reported_cost=row.reported_cost,
            reported_currency=row.reported_currency,
            elapsed=row.period_end - row.period_start,
            figures=row.notes,
        )
        for row in rows.order_by("period_end", "pk")
        if row.run_id is not None
    }


def _rate(tokens: int | None, elapsed: timedelta | None) -> Fraction | None:
    if tokens is None or not elapsed:
        return None
    return Fraction(tokens * 10**6, elapsed // timedelta(microseconds=1))
