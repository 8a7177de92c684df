"""SGLang's serving benchmark: one JSON object a run, appended line by line."""

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from accounting.domain.aggregates import Aggregate
from accounting.domain.naming import provider_id
from accounting.domain.usage import Identity
from ingest.formats.base import (
    Aggregated,
    Convention,
    Counted,
    Format,
    Item,
    Options,
    Outcome,
    RunInfo,
    Sample,
    Scope,
    State,
    Time,
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

#: The server's own count of output; the retokenised one beside it is the client's.
_KEYS = {"dataset_name", "total_output_tokens_retokenized"}


class Server(msgspec.Struct):
    """What the server says of itself."""

    model_path: str | None = None
    served_model_name: str | None = None


class Run(Arrays):
    """A run; nothing in it tells when it took place."""

    tag: str | None = None
    backend: str | None = None
    dataset_name: str | None = None
    request_rate: float | str | None = None
    max_concurrency: int | None = None
    server_info: Server | None = None
    model_id: str | None = None


_DECODER = Decoder(Run, {"input_lens": 1, "output_lens": 1})


def recognise(sample: Sample) -> str:
    """A dataset beside retokenised output, also where the run is longer than the sample."""
    fits = any(each.keys() >= _KEYS for each in (*sample.objects, dict.fromkeys(sample.keys)))
    return "has dataset_name and total_output_tokens_retokenized" if fits else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each run; the same run appended twice is one run."""
    return each_document(items, partial(_run, options))


def _run(options: Options, item: Item) -> Outcome:
    run = _DECODER.decoded(item)
    digest, server = fingerprint(run), run.server_info or Server()
    model = text(run.model_id or server.served_model_name or server.model_path, "model")
    rate = None if run.request_rate is None else f"rate {run.request_rate}"
    info = RunInfo(
        label=label_of(text(run.tag, "tag"), model, run.dataset_name, rate, digest.hex()[:8]),
        model=model or options.model,
        settings=settings_of(json_of(item), "tag", "duration", "completed", "concurrency"),
    )
    if not run.input_lens or not run.output_lens:
        told = _summary(run, digest, model, json_of(item), options)
        return Aggregated(line=item.line, aggregates=(told,), run=info)
    measured = list(requests_of(run))
    records = tuple(
        record_of(
            FORMAT,
            options,
            identity=Identity(fingerprint=fingerprint(digest.hex(), each.index)),
            started_at=None,
            counts=each.counts,
            model=model,
            status="error" if each.error else "ok",
            error_type=each.error,
            ttft_ms=each.ttft_ms,
            tpot_ms=each.tpot_ms,
            duration_ms=each.duration_ms,
        )
        for each in measured
    )
    return Counted(line=item.line, records=records, warnings=doubts_of(run, measured), run=info)


def _summary(run: Run, digest: bytes, model: str, body: bytes, options: Options) -> Aggregate:
    start = options.assumed_time
    return Aggregate(
        source=FORMAT.name,
        fingerprint=digest,
        period_start=start,
        period_end=later(start, run.duration or 0.0, "duration"),
        purpose="usage" if options.counts_as_usage else FORMAT.purpose,
        provider=provider_id(options.provider),
        model=model or options.model,
        notes=measures_of(body),
        requests=required_count(run.completed, "completed"),
        input_tokens=count(run.total_input_tokens, "total_input_tokens"),
        output_tokens=count(run.total_output_tokens, "total_output_tokens"),
    )


FORMAT = Format(
    name="sglang_bench",
    title="SGLang bench_serving",
    unit=Unit.DOCUMENT,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="what the run measured, and the request's place in it",
    where="python -m sglang.bench_serving --output-file --output-details",
    source="SGLang's source, bench_serving.py",
    recognise=recognise,
    read=read,
    restamps=True,
    time=Time.ASSUMED,
    purpose="benchmark",
)
