"""llama-bench: one test a row, repeated; each repetition is a request of its own."""

from collections.abc import Iterator

from accounting.domain.tokens import from_inclusive
from accounting.domain.usage import Identity, UsageRecord
from ingest.formats.base import (
    Aggregated,
    Convention,
    Counted,
    Item,
    Options,
    Outcome,
    RejectedError,
    RunInfo,
    Unit,
)
from ingest.formats.bench_records import later, record_of, summary_of
from ingest.formats.bench_runs import measures_of, settings_of
from ingest.formats.cells import row_json
from ingest.formats.fields import milliseconds
from ingest.formats.fingerprints import fingerprint
from ingest.formats.llama_tests import ROWS, Row
from ingest.formats.tables import row_format

_NS_PER_MS, _NS_PER_S = 10**6, 10**9


def _row(options: Options, item: Item) -> Outcome:
    """A test's repetitions, or where they are not told a summary."""
    body = row_json(item)
    row = ROWS.of(body)
    prompt, made, start = row.prompt_tokens(), row.generated_tokens(), row.started_at()
    run = RunInfo(
        label=row.label(), model=row.model(), settings=settings_of(body), started_at=start
    )
    if row.samples_ns is None:
        summary = summary_of(
            FORMAT,
            options,
            fingerprint=fingerprint(FORMAT.name, row),
            period_start=start,
            period_end=start,
            model=run.model,
            dimensions=(("n_gen", str(made)), ("n_prompt", str(prompt))),
            notes=measures_of(body),
        )
        return Aggregated(line=item.line, aggregates=(summary,), run=run)
    records = tuple(_repetitions(row, row.samples_ns, options))
    if not records:
        raise RejectedError("missing_field", "a test without repetitions", field="samples_ns")
    return Counted(line=item.line, records=records, run=run)


def _repetitions(row: Row, samples_ns: list[int], options: Options) -> Iterator[UsageRecord]:
    prompt, made, start = row.prompt_tokens(), row.generated_tokens(), row.started_at()
    for number, taken in enumerate(samples_ns):
        duration = milliseconds(taken / _NS_PER_MS, "samples_ns")
        yield record_of(
            FORMAT,
            options,
            identity=Identity(fingerprint=fingerprint(FORMAT.name, row, number)),
            started_at=start,
            time_quality="second",
            counts=from_inclusive(input_tokens=prompt, output_tokens=made),
            model=row.model(),
            duration_ms=duration,
            prefill_ms=None if made else duration,
            tpot_ms=duration / made if duration and made and not prompt else None,
        )
        start = later(start, taken / _NS_PER_S, "samples_ns")


FORMAT = row_format(
    name="llama_bench",
    title="llama-bench",
    row=_row,
    columns=({"n_prompt", "n_gen", "avg_ns"},),
    units=(Unit.JSON, Unit.CSV),
    convention=Convention.INCLUSIVE,
    key="what the test says, and the number of the repetition",
    where="llama-bench -o jsonl, -o json or -o csv (CSV leaves the repetitions out)",
    source="llama.cpp's tools/llama-bench",
    purpose="benchmark",
)
