"""Files whose runs are a JSON object each with their requests in arrays, as outcomes."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

import msgspec

from accounting.domain.usage import Identity, UsageRecord
from ingest.formats.base import (
    Aggregated,
    Counted,
    Format,
    Item,
    Options,
    Outcome,
    RunInfo,
    State,
)
from ingest.formats.bench_arrays import Arrays, Measured, doubts_of, requests_of
from ingest.formats.bench_records import later, record_of, summary_of
from ingest.formats.bench_runs import measures_of
from ingest.formats.fields import count, json_of, outcome_of, required_count
from ingest.formats.fingerprints import fingerprint
from ingest.formats.tables import Reader


def each_run(one: Callable[[Options, Item], Outcome]) -> Reader:
    """Reads one outcome for each run of a file; torn runs among lines cost no neighbour."""
    return partial(_read, one)


def outcome_of_run(
    known: Format, options: Options, item: Item, *, run: Arrays, digest: bytes, told: RunInfo
) -> Outcome:
    """A run's requests, or of a run without them its totals.

    digest: what tells the run from others. told: what it says of itself; when it started is assumed
    where it does not say so.
    """
    if not run.input_lens or not run.output_lens:
        start = told.started_at or options.assumed_time
        summary = summary_of(
            known,
            options,
            fingerprint=digest,
            period_start=start,
            period_end=later(start, run.duration or 0.0, "duration"),
            model=told.model,
            notes=measures_of(json_of(item)),
            requests=required_count(run.completed, "completed"),
            input_tokens=count(run.total_input_tokens, "total_input_tokens"),
            output_tokens=count(run.total_output_tokens, "total_output_tokens"),
        )
        return Aggregated(line=item.line, aggregates=(summary,), run=told)
    measured = list(requests_of(run))
    records = tuple(_record(known, options, digest, told, each) for each in measured)
    return Counted(line=item.line, records=records, warnings=doubts_of(run, measured), run=told)


def _record(
    known: Format, options: Options, digest: bytes, told: RunInfo, each: Measured
) -> UsageRecord:
    start = told.started_at
    return record_of(
        known,
        options,
        identity=Identity(fingerprint=fingerprint(digest.hex(), each.index)),
        started_at=later(start, each.after_s, "start_times") if start else None,
        time_quality="assumed",
        counts=each.counts,
        model=told.model,
        status="error" if each.error else "ok",
        error_type=each.error,
        ttft_ms=each.ttft_ms,
        tpot_ms=each.tpot_ms,
        duration_ms=each.duration_ms,
    )


def _read(
    one: Callable[[Options, Item], Outcome],
    items: Iterable[Item],
    options: Options,
    _state: State,
) -> Iterator[Outcome]:
    for item in items:
        for part in _parts(item):
            yield outcome_of(part, partial(one, options))


def _parts(item: Item) -> Iterator[Item]:
    """The item, or its lines where it is no document but some of its lines are."""
    body = item.body
    if item.refusal is not None or not isinstance(body, bytes) or _is_json(body):
        yield item
        return
    lines = body.split(b"\n")
    if not any(_is_json(line) and line.lstrip().startswith(b"{") for line in lines[1:]):
        yield item
        return
    offset = item.offset
    for number, line in enumerate(lines):
        if line.strip():
            yield replace(item, line=item.line + number, offset=offset, body=line)
        offset += len(line) + 1


def _is_json(body: bytes) -> bool:
    try:
        msgspec.json.decode(body, type=msgspec.Raw)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True
