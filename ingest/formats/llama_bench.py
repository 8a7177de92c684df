"""llama-bench: one test a row, repeated; each repetition is a request of its own."""

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from accounting.domain.aggregates import Aggregate
from accounting.domain.tokens import from_inclusive
from accounting.domain.usage import Identity
from ingest.formats.base import (
    Aggregated,
    Convention,
    Counted,
    Format,
    Item,
    Options,
    Outcome,
    RejectedError,
    RunInfo,
    Sample,
    Scope,
    State,
    Unit,
)
from ingest.formats.bench_runs import label_of, later, measures_of, record_of, settings_of
from ingest.formats.cells import row_json
from ingest.formats.fields import Count, Decoder, milliseconds, outcomes, required_count, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import moment

_KEYS = {"n_prompt", "n_gen", "avg_ns"}
_NS_PER_MS, _NS_PER_S = 10**6, 10**9


class Row(msgspec.Struct):
    """A test: so many prompt tokens, so many generated ones, on a context of n_depth tokens.

    samples_ns: how long each repetition took. CSV leaves them out.
    """

    n_prompt: Count = None
    n_gen: Count = None
    n_depth: Count = None
    model_filename: str | None = None
    model_type: str | None = None
    test_time: str | None = None
    avg_ns: Count = None
    samples_ns: list[int] | None = None


_DECODER = Decoder(Row, {"n_prompt": 1, "n_gen": 1, "samples_ns": 1})


def recognise(sample: Sample) -> str:
    """Prompt and generated tokens beside avg_ns, as JSON or as CSV."""
    rows = (set(sample.header), *(set(each) for each in sample.objects))
    return "has n_prompt, n_gen and avg_ns" if any(row >= _KEYS for row in rows) else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each test: its repetitions, or where they are not told a summary."""
    return outcomes(items, partial(_row, options))


def _row(options: Options, item: Item) -> Outcome:
    body = row_json(item)
    row = _DECODER.of(body)
    prompt, made = required_count(row.n_prompt, "n_prompt"), required_count(row.n_gen, "n_gen")
    start = moment(row.test_time, "test_time")
    if start is None:
        raise RejectedError("missing_field", "a test without its time", field="test_time")
    model = text(row.model_filename or row.model_type, "model_filename")
    depth = required_count(row.n_depth or 0, "n_depth")
    test = "+".join(f"{kind}{n}" for kind, n in (("pp", prompt), ("tg", made)) if n)
    label = label_of(model, test, f"depth {depth}" if depth else "", row.test_time)
    run = RunInfo(label=label, model=model, settings=settings_of(body), started_at=start)
    if row.samples_ns is None:
        told = Aggregate(
            source=FORMAT.name,
            fingerprint=fingerprint(FORMAT.name, row),
            period_start=start,
            period_end=start,
            purpose="usage" if options.counts_as_usage else FORMAT.purpose,
            model=model,
            dimensions=(("n_gen", str(made)), ("n_prompt", str(prompt))),
            notes=measures_of(body),
        )
        return Aggregated(line=item.line, aggregates=(told,), run=run)
    records = []
    for number, taken in enumerate(row.samples_ns):
        duration = milliseconds(taken / _NS_PER_MS, "samples_ns")
        records.append(
            record_of(
                FORMAT,
                options,
                identity=Identity(fingerprint=fingerprint(FORMAT.name, row, number)),
                started_at=start,
                time_quality="second",
                counts=from_inclusive(input_tokens=prompt, output_tokens=made),
                model=model,
                duration_ms=duration,
                prefill_ms=None if made else duration,
                tpot_ms=duration / made if duration and made and not prompt else None,
            )
        )
        start = later(start, taken / _NS_PER_S, "samples_ns")
    if not records:
        raise RejectedError("missing_field", "a test without repetitions", field="samples_ns")
    return Counted(line=item.line, records=tuple(records), run=run)


FORMAT = Format(
    name="llama_bench",
    title="llama-bench",
    unit=Unit.JSON,
    also=(Unit.CSV,),
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="what the test says, and the number of the repetition",
    where="llama-bench -o jsonl, -o json or -o csv (CSV leaves the repetitions out)",
    source="llama.cpp's tools/llama-bench",
    recognise=recognise,
    read=read,
    purpose="benchmark",
    extensions=(".jsonl", ".json", ".csv"),
)
