"""GenAI-Perf's profile_export.json: requests with the moments and bodies of their responses."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

import msgspec

from accounting.domain.usage import NOTHING_REPORTED, Identity
from ingest.formats.base import (
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
from ingest.formats.bench_runs import cause_of, label_of, record_of, tpot_of
from ingest.formats.fields import Decoder, json_of, outcome_of, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import elapsed_ms, moment
from ingest.formats.nesting import is_too_deep
from ingest.formats.openai_usage import Error, Usage, counts_of
from ingest.formats.streams import chunks


class Inputs(msgspec.Struct):
    """What was asked. payload: the request's JSON as text."""

    payload: str | None = None
    session_id: str | None = None


class Output(msgspec.Struct):
    """One response: an event of a stream, or a whole body."""

    response: str | None = None


class Request(msgspec.Struct):
    """One request; moments in epoch nanoseconds."""

    timestamp: int
    request_inputs: Inputs | None = None
    response_timestamps: list[int] = []
    response_outputs: list[Output] = []


class Setting(msgspec.Struct):
    """What was varied: concurrency or request rate."""

    mode: str | None = None
    value: float | int | str | None = None


class Experiment(msgspec.Struct):
    """Requests under one setting."""

    experiment: Setting | None = None
    requests: list[msgspec.Raw] = []


class Export(msgspec.Struct):
    """A whole export."""

    experiments: list[Experiment]
    endpoint: str | None = None
    service_kind: str | None = None


class Payload(msgspec.Struct):
    """The part of a request's JSON that is read."""

    model: str | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None


class Chunk(msgspec.Struct):
    """The part of a response that is read."""

    id: str | None = None
    usage: Usage | None = None
    error: Error | str | None = None


_EXPORT = Decoder(Export)
_REQUEST = Decoder(Request)
_PAYLOAD = msgspec.json.Decoder(Payload)
_CHUNK = msgspec.json.Decoder(Chunk)


def recognise(sample: Sample) -> str:
    """Experiments beside what kind of service was measured; of a long export their names."""
    for each in (*sample.objects, dict.fromkeys(sample.keys)):
        if {"experiments", "service_kind"} <= each.keys():
            return "has experiments and service_kind"
    return ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each request; its line is its place in the export."""
    for item in items:
        if item.refusal is not None:
            yield item.refusal.at(item)
            continue
        try:
            export = _EXPORT.of(json_of(item))
        except RejectedError as error:
            yield error.at(item)
            continue
        line = item.line
        for experiment in export.experiments:
            for body in experiment.requests:
                request = replace(item, line=line, body=bytes(body))
                yield outcome_of(request, partial(_request, options, export, experiment))
                line += 1


def _request(options: Options, export: Export, experiment: Experiment, item: Item) -> Outcome:
    request = _REQUEST.decoded(item)
    inputs = request.request_inputs or Inputs()
    payload, answer = _payload(inputs.payload), _answer(request.response_outputs)
    start = moment(request.timestamp, "timestamp")
    ends = [moment(each, "response_timestamps") for each in request.response_timestamps]
    duration = elapsed_ms(start, ends[-1]) if ends else None
    ttft = elapsed_ms(start, ends[0]) if len(ends) > 1 else None
    counts = counts_of(answer.usage) if answer.usage else NOTHING_REPORTED
    failed = answer.error is not None or not ends
    model, setting = text(payload.model, "model"), experiment.experiment or Setting()
    record = record_of(
        FORMAT,
        options,
        identity=Identity(
            response_id=text(answer.id, "id"),
            fingerprint=fingerprint(request.timestamp, request.response_timestamps, inputs),
        ),
        started_at=start,
        counts=counts,
        where={"session_id": text(inputs.session_id, "session_id")},
        model=model,
        status="error" if failed else "ok",
        error_type=cause_of(answer.error.name if isinstance(answer.error, Error) else answer.error),
        error_origin="upstream" if failed else "",
        is_stream=len(ends) > 1,
        max_output_tokens=payload.max_completion_tokens or payload.max_tokens,
        duration_ms=duration,
        ttft_ms=ttft,
        tpot_ms=tpot_of(duration, ttft, counts.output_tokens),
    )
    return Counted(line=item.line, records=(record,), run=_run(options, export, setting, model))


def _run(options: Options, export: Export, setting: Setting, model: str) -> RunInfo:
    varied = f"{setting.mode} {setting.value}" if setting.mode else ""
    told = (("endpoint", export.endpoint), ("service_kind", export.service_kind))
    settings = tuple((name, value[:200]) for name, value in told if value)
    if setting.mode and setting.value is not None:
        settings += ((setting.mode[:200], str(setting.value)[:200]),)
    return RunInfo(
        label=label_of(options.run, model, varied), model=model or options.model, settings=settings
    )


def _payload(written: str | None) -> Payload:
    if is_too_deep((written or "").encode("utf-8", "replace")):
        return Payload()
    try:
        return _PAYLOAD.decode(written or "{}")
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return Payload()


def _answer(outputs: list[Output]) -> Chunk:
    """A response's id, last complete usage and error, from all of its events."""
    answer = Chunk()
    for output in outputs:
        for _, body in chunks((output.response or "").encode("utf-8", "replace")):
            if is_too_deep(body):
                continue
            try:
                chunk = _CHUNK.decode(body)
            except (msgspec.MsgspecError, RecursionError):
                continue
            answer.id = answer.id or chunk.id
            answer.usage = chunk.usage or answer.usage
            answer.error = chunk.error or answer.error
    return answer


FORMAT = Format(
    name="genai_perf",
    title="GenAI-Perf profile export",
    unit=Unit.DOCUMENT,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="id of the response; without it the moments of the request",
    where="genai-perf profile writes profile_export.json below its artifacts folder",
    source="GenAI-Perf's and perf_analyzer's documentation",
    recognise=recognise,
    read=read,
    purpose="benchmark",
    extensions=(".json",),
)
