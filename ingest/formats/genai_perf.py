"""GenAI-Perf's profile_export.json: requests with the moments and bodies of their responses."""

from collections.abc import Iterator

import msgspec

from accounting.domain.usage import NOTHING_REPORTED, Identity
from ingest.formats.base import Convention, Format, Item, Options, Outcome, RunInfo, Scope, Unit
from ingest.formats.bench_records import measured, tpot_of
from ingest.formats.bench_runs import label_of
from ingest.formats.error_names import error_name
from ingest.formats.fields import json_of, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.genai_perf_export import (
    EXPORTS,
    REQUESTS,
    Export,
    Inputs,
    Setting,
    answer_of,
    payload_of,
    settings_of,
)
from ingest.formats.messages_within import each_message
from ingest.formats.moments import elapsed_ms, moment
from ingest.formats.openai_usage import counts_of
from ingest.formats.tables import recognised_by

#: The export around a request, and what was varied for it.
Around = tuple[Export, Setting]


def _requests(item: Item) -> Iterator[tuple[Around, msgspec.Raw]]:
    export = EXPORTS.of(json_of(item))
    for experiment in export.experiments:
        for body in experiment.requests:
            yield (export, experiment.experiment or Setting()), body


def _request(options: Options, around: Around, item: Item) -> Outcome:
    request = REQUESTS.decoded(item)
    inputs = request.request_inputs or Inputs()
    payload, answer = payload_of(inputs.payload), answer_of(request.response_outputs)
    start = moment(request.timestamp, "timestamp")
    ends = [moment(each, "response_timestamps") for each in request.response_timestamps]
    duration = elapsed_ms(start, ends[-1]) if ends else None
    ttft = elapsed_ms(start, ends[0]) if len(ends) > 1 else None
    counts = counts_of(answer.usage) if answer.usage else NOTHING_REPORTED
    failed = answer.error is not None or not ends
    model = text(payload.model, "model")
    return measured(
        item,
        FORMAT,
        options,
        run=_run(options, *around, model),
        identity=Identity(
            response_id=text(answer.id, "id"),
            fingerprint=fingerprint(request.timestamp, request.response_timestamps, inputs),
        ),
        started_at=start,
        counts=counts,
        where={"session_id": text(inputs.session_id, "session_id")},
        model=model,
        status="error" if failed else "ok",
        error_type=error_name(answer.cause),
        error_origin="upstream" if failed else "",
        is_stream=len(ends) > 1,
        max_output_tokens=payload.max_completion_tokens or payload.max_tokens,
        duration_ms=duration,
        ttft_ms=ttft,
        tpot_ms=tpot_of(duration, ttft, counts.output_tokens),
    )


def _run(options: Options, export: Export, varied: Setting, model: str) -> RunInfo:
    words = f"{varied.mode} {varied.value}" if varied.mode else ""
    return RunInfo(
        label=label_of(options.run, model, words),
        model=model or options.model,
        settings=settings_of(export, varied),
    )


FORMAT = Format(
    name="genai_perf",
    title="GenAI-Perf profile export",
    unit=Unit.DOCUMENT,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="id of the response; without it the moments of the request",
    where="genai-perf profile writes profile_export.json below its artifacts folder",
    source="GenAI-Perf's and perf_analyzer's documentation",
    recognise=recognised_by({"experiments", "service_kind"}),
    read=each_message(_requests, _request),
    purpose="benchmark",
    extensions=(".json",),
)
