"""SGLang's serving benchmark: one JSON object a run, appended line by line."""

import msgspec

from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    RunInfo,
    Scope,
    Time,
    Unit,
)
from ingest.formats.bench_arrays import Arrays
from ingest.formats.bench_documents import each_run, outcome_of_run
from ingest.formats.bench_runs import label_of, named, settings_of
from ingest.formats.fields import Decoder, json_of, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.tables import recognised_by

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


def _run(options: Options, item: Item) -> Outcome:
    """The same run appended twice is one run."""
    run = _DECODER.decoded(item)
    digest, server = fingerprint(run), run.server_info or Server()
    model = text(run.model_id or server.served_model_name or server.model_path, "model")
    rate = named("rate", run.request_rate)
    told = RunInfo(
        label=label_of(text(run.tag, "tag"), model, run.dataset_name, rate, digest.hex()[:8]),
        model=model or options.model,
        settings=settings_of(json_of(item), "tag", "duration", "completed", "concurrency"),
    )
    return outcome_of_run(FORMAT, options, item, run=run, digest=digest, told=told)


FORMAT = Format(
    name="sglang_bench",
    title="SGLang bench_serving",
    unit=Unit.DOCUMENT,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="what the run measured, and the request's place in it",
    where="python -m sglang.bench_serving --output-file --output-details",
    source="SGLang's source, bench_serving.py",
    recognise=recognised_by(_KEYS),
    read=each_run(_run),
    restamps=True,
    time=Time.ASSUMED,
    purpose="benchmark",
)
