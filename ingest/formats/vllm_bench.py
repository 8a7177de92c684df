"""vLLM's serving benchmark: one JSON object a run, appended line by line or alone in a file."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import partial

from accounting.domain.aggregates import Aggregate
from accounting.domain.naming import provider_id
from accounting.domain.periods import checked_moment
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
from ingest.formats.bench_arrays import Arrays, doubts_of, requests_of
from ingest.formats.bench_runs import (
    each_document,
    label_of,
    later,
    measures_of,
    record_of,
    settings_of,
)
from ingest.formats.fields import Decoder, count, json_of, required_count, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.shown import shown

_KEYS = {"tokenizer_id", "num_prompts"}


class Run(Arrays):
    """A run. date is the local time, without a zone, at which it was written."""

    date: str | None = None
    label: str | None = None
    backend: str | None = None
    endpoint_type: str | None = None
    model_id: str | None = None
    num_prompts: int | None = None
    request_rate: float | str | None = None
    max_concurrency: int | None = None


_DECODER = Decoder(Run, {"input_lens": 1, "output_lens": 1, "date": 1})


def recognise(sample: Sample) -> str:
    """num_prompts beside tokenizer_id, also where the run is longer than the sample."""
    fits = any(each.keys() >= _KEYS for each in (*sample.objects, dict.fromkeys(sample.keys)))
    return "has num_prompts and tokenizer_id" if fits else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each run: its requests, or of a summary the totals."""
    return each_document(items, partial(_run, options))


def _run(options: Options, item: Item) -> Outcome:
    run = _DECODER.decoded(item)
    digest = fingerprint(run)
    started_at = _started_at(run.date)
    info = RunInfo(
        label=_label(run, started_at),
        model=text(run.model_id, "model_id"),
        settings=settings_of(json_of(item), "date", "label", "duration", "completed", "failed"),
        started_at=started_at,
    )
    if not run.input_lens or not run.output_lens:
        told = _summary(run, digest, started_at, json_of(item), options)
        return Aggregated(line=item.line, aggregates=(told,), run=info)
    measured = list(requests_of(run))
    records = tuple(
        record_of(
            FORMAT,
            options,
            identity=Identity(fingerprint=fingerprint(digest.hex(), each.index)),
            started_at=later(started_at, each.after_s, "start_times"),
            time_quality="assumed",
            counts=each.counts,
            model=info.model,
            status="error" if each.error else "ok",
            error_type=each.error,
            ttft_ms=each.ttft_ms,
            tpot_ms=each.tpot_ms,
            duration_ms=each.duration_ms,
        )
        for each in measured
    )
    return Counted(line=item.line, records=records, warnings=doubts_of(run, measured), run=info)


def _summary(
    run: Run, digest: bytes, started_at: datetime, body: bytes, options: Options
) -> Aggregate:
    return Aggregate(
        source=FORMAT.name,
        fingerprint=digest,
        period_start=started_at,
        period_end=later(started_at, run.duration or 0.0, "duration"),
        purpose="usage" if options.counts_as_usage else FORMAT.purpose,
        provider=provider_id(options.provider),
        model=text(run.model_id, "model_id"),
        notes=measures_of(body),
        requests=required_count(run.completed, "completed"),
        input_tokens=count(run.total_input_tokens, "total_input_tokens"),
        output_tokens=count(run.total_output_tokens, "total_output_tokens"),
    )


def _started_at(written: str | None) -> datetime:
    """A date as vLLM writes it, 20260302-100000; taken as UTC, for nothing tells its zone."""
    try:
        moment = datetime.strptime(written or "", "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
    except ValueError as error:
        reason = f"date = {shown(written)}, expected YYYYMMDD-HHMMSS"
        raise RejectedError("bad_time", reason, field="date", value=written) from error
    return checked_moment(moment)


def _label(run: Run, started_at: datetime) -> str:
    rate = None if run.request_rate is None else f"rate {run.request_rate}"
    concurrency = None if run.max_concurrency is None else f"concurrency {run.max_concurrency}"
    name = text(run.label, "label") or text(run.model_id, "model_id")
    return label_of(name, rate, concurrency, f"{started_at:%Y-%m-%d %H:%M:%S}")


FORMAT = Format(
    name="vllm_bench",
    title="vLLM bench serve",
    unit=Unit.DOCUMENT,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="what the run measured, and the request's place in it",
    where="vllm bench serve --save-result --save-detailed, also with --append-result",
    source="vLLM's source, vllm/benchmarks/serve.py",
    recognise=recognise,
    read=read,
    purpose="benchmark",
)
