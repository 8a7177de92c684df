"""vLLM's serving benchmark: one JSON object a run, appended line by line or alone in a file."""

from datetime import UTC, datetime

from accounting.domain.periods import checked_moment
from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    RejectedError,
    RunInfo,
    Scope,
    Unit,
)
from ingest.formats.bench_arrays import Arrays
from ingest.formats.bench_documents import each_run, outcome_of_run
from ingest.formats.bench_runs import label_of, named, settings_of
from ingest.formats.fields import Decoder, json_of, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.shown import shown
from ingest.formats.tables import recognised_by


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


def _run(options: Options, item: Item) -> Outcome:
    run = _DECODER.decoded(item)
    started_at = _started_at(run.date)
    told = RunInfo(
        label=_label(run, started_at),
        model=text(run.model_id, "model_id"),
        settings=settings_of(json_of(item), "date", "label", "duration", "completed", "failed"),
        started_at=started_at,
    )
    return outcome_of_run(FORMAT, options, item, run=run, digest=fingerprint(run), told=told)


def _started_at(written: str | None) -> datetime:
    """A date as vLLM writes it, 20260302-100000; taken as UTC, for nothing tells its zone."""
    try:
        moment = datetime.strptime(written or "", "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
    except ValueError as error:
        reason = f"date = {shown(written)}, expected YYYYMMDD-HHMMSS"
        raise RejectedError("bad_time", reason, field="date", value=written) from error
    return checked_moment(moment)


def _label(run: Run, started_at: datetime) -> str:
    return label_of(
        text(run.label, "label") or text(run.model_id, "model_id"),
        named("rate", run.request_rate),
        named("concurrency", run.max_concurrency),
        f"{started_at:%Y-%m-%d %H:%M:%S}",
    )


FORMAT = Format(
    name="vllm_bench",
    title="vLLM bench serve",
    unit=Unit.DOCUMENT,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="what the run measured, and the request's place in it",
    where="vllm bench serve --save-result --save-detailed, also with --append-result",
    source="vLLM's source, vllm/benchmarks/serve.py",
    recognise=recognised_by({"tokenizer_id", "num_prompts"}),
    read=each_run(_run),
    purpose="benchmark",
)
