"""GuideLLM's report: one document with its benchmarks, each with its requests by how they ended."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from accounting.domain.aggregates import Aggregate
from accounting.domain.errors import DomainError
from accounting.domain.naming import provider_id
from accounting.domain.tokens import from_inclusive
from accounting.domain.usage import NOTHING_REPORTED, Identity
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
from ingest.formats.bench_runs import cause_of, label_of, record_of, settings_of
from ingest.formats.fields import Count, Decoder, count, json_of, milliseconds, outcome_of, text
from ingest.formats.guidellm_report import Benchmark, Benchmarks, Request
from ingest.formats.moments import moment
from ingest.formats.reports import period_of

_REPORT = Decoder(Benchmarks)
_BENCHMARK = Decoder(Benchmark)
_REQUEST = Decoder(Request, {"prompt_tokens": 1, "output_tokens": 1, "cached_tokens": 2})
_MS = 1000


def recognise(sample: Sample) -> str:
    """Benchmarks beside a guidellm_version; of a long report its first names alone."""
    if '"guidellm_version"' in sample.text and (
        "benchmarks" in sample.keys or any("benchmarks" in each for each in sample.objects)
    ):
        return "has benchmarks of a guidellm_version"
    return ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each request; one for a benchmark that lists fewer than it made."""
    for item in items:
        try:
            benchmarks = _REPORT.of(json_of(item)).benchmarks if item.refusal is None else None
        except RejectedError as error:
            yield error.at(item)
            continue
        if benchmarks is None:
            yield outcome_of(item, _never)
            continue
        line = item.line
        for each in benchmarks:
            for outcome in _benchmark(options, replace(item, line=line, body=bytes(each))):
                yield outcome
                line += 1


def _benchmark(options: Options, item: Item) -> Iterator[Outcome]:
    try:
        benchmark = _BENCHMARK.decoded(item)
        run = _run(benchmark, json_of(item))
        totals = benchmark.metrics.request_totals
        made = count(totals.total, "request_totals.total") or 0
    except RejectedError as error:
        yield error.at(item)
        return
    except DomainError as error:
        yield RejectedError(error.code, str(error)).at(item)
        return
    lists = benchmark.requests
    kinds = (("ok", lists.successful), ("error", lists.errored), ("cancelled", lists.incomplete))
    line = item.line
    for status, listed in kinds:
        for body in listed or ():
            request = replace(item, line=line, body=bytes(body))
            yield outcome_of(request, partial(_request, options, run, status))
            line += 1
    if line - item.line < made:
        summary = replace(item, line=line)
        yield outcome_of(summary, partial(_summary, options, run, benchmark))


def _request(options: Options, run: RunInfo, status: str, item: Item) -> Outcome:
    request = _REQUEST.decoded(item)
    told, times = request.info, request.info.timings
    output, is_guess = count(request.output_tokens, "output_tokens"), False
    if output is None and status == "ok":
        output, is_guess = count(times.token_iterations, "token_iterations"), True
    counts = from_inclusive(
        input_tokens=count(request.prompt_tokens, "prompt_tokens"),
        cache_read_input_tokens=count(request.cached_tokens, "cached_tokens"),
        output_tokens=output,
    )
    failed = status == "error"
    latency = milliseconds(request.request_latency, "request_latency")
    more = {"usage_state": "estimated"} if is_guess and output is not None else {}
    record = record_of(
        FORMAT,
        options,
        identity=Identity(
            response_id=text(request.response_id, "response_id"),
            gateway_request_id=text(request.request_id or told.request_id, "request_id"),
        ),
        started_at=moment(request.request_start_time or times.request_start, "request_start"),
        counts=NOTHING_REPORTED if failed else counts,
        where={"session_id": text(told.conversation_id, "conversation_id")},
        model=run.model,
        status=status,
        error_type=cause_of(told.error) if failed else "",
        duration_ms=None if latency is None else round(latency * _MS, 6),
        ttft_ms=None if failed else milliseconds(request.time_to_first_token_ms, "ttft"),
        tpot_ms=None if failed else milliseconds(request.inter_token_latency_ms, "tpot"),
        **more,
    )
    if not record.identity.response_id and not record.identity.gateway_request_id:
        raise RejectedError("missing_field", "a request without its id", field="request_id")
    return Counted(line=item.line, records=(record,), run=run)


def _summary(options: Options, run: RunInfo, benchmark: Benchmark, item: Item) -> Outcome:
    metrics, totals = benchmark.metrics, benchmark.metrics.request_totals
    ended = [totals.successful, totals.incomplete]
    start = moment(benchmark.start_time, "start_time")
    period = period_of(start, moment(benchmark.end_time, "end_time"), "start_time")
    told = Aggregate(
        source=FORMAT.name,
        fingerprint=benchmark.fingerprint(),
        period_start=period[0],
        period_end=period[1],
        purpose="usage" if options.counts_as_usage else FORMAT.purpose,
        provider=provider_id(options.provider),
        model=run.model or options.model,
        dimensions=(("run", run.label),),
        requests=_sum(ended, "request_totals"),
        input_tokens=metrics.prompt_token_count.used(),
        output_tokens=metrics.output_token_count.used(),
    )
    return Aggregated(line=item.line, aggregates=(told,), run=run)


def _run(benchmark: Benchmark, body: bytes) -> RunInfo:
    config = bytes(benchmark.config)
    model = text(benchmark.model(), "model")
    start = moment(benchmark.start_time, "start_time")
    written = f"{start:%Y-%m-%d %H:%M:%S.%f}" if start else ""
    settings = settings_of(config) if config.startswith(b"{") else settings_of(body)
    return RunInfo(
        label=label_of(model, dict(settings).get("run_id"), benchmark.strategy(), written),
        model=model,
        settings=(*settings, *benchmark.strategy_settings()),
        started_at=start,
    )


def _sum(values: Iterable[Count], field: str) -> int | None:
    known = [n for value in values if (n := count(value, field)) is not None]
    return sum(known) if known else None


def _never(item: Item) -> Outcome:
    raise RejectedError("no_usage", f"line {item.line} holds no benchmarks")


FORMAT = Format(
    name="guidellm",
    title="GuideLLM benchmarks",
    unit=Unit.DOCUMENT,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="id of the response, else of the request",
    where="guidellm benchmark --output-path benchmarks.json",
    source="GuideLLM's source, schemas of version 2",
    recognise=recognise,
    read=read,
    purpose="benchmark",
    extensions=(".json",),
)
