"""What a GuideLLM benchmark comes to: its requests, its totals, and the run they belong to."""

from accounting.domain.tokens import from_inclusive
from accounting.domain.usage import NOTHING_REPORTED, Identity
from ingest.formats.base import Aggregated, Format, Item, Options, Outcome, RejectedError, RunInfo
from ingest.formats.bench_records import measured, ms_of_seconds, summary_of
from ingest.formats.bench_runs import label_of, settings_of
from ingest.formats.error_names import error_name
from ingest.formats.fields import Decoder, count, known_sum, milliseconds, text
from ingest.formats.guidellm_report import Benchmark, Request
from ingest.formats.moments import moment
from ingest.formats.openai_usage import state_of
from ingest.formats.reports import period_of

_REQUEST = Decoder(Request, {"prompt_tokens": 1, "output_tokens": 1, "cached_tokens": 2})


def outcome_of_request(
    known: Format, options: Options, run: RunInfo, status: str, item: Item
) -> Outcome:
    """One request of a benchmark, which ended as this status says.

    Where the server told no output, the pieces of its stream are taken for tokens, as an estimate.
    """
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
    response_id = text(request.response_id, "response_id")
    request_id = text(request.request_id or told.request_id, "request_id")
    if not response_id and not request_id:
        raise RejectedError("missing_field", "a request without its id", field="request_id")
    kept = NOTHING_REPORTED if failed else counts
    return measured(
        item,
        known,
        options,
        run=run,
        identity=Identity(response_id=response_id, gateway_request_id=request_id),
        started_at=moment(request.request_start_time or times.request_start, "request_start"),
        counts=kept,
        usage_state="estimated" if is_guess and output is not None else state_of(kept),
        where={"session_id": text(told.conversation_id, "conversation_id")},
        model=run.model,
        status=status,
        error_type=error_name(told.error) if failed else "",
        duration_ms=ms_of_seconds(request.request_latency, "request_latency"),
        ttft_ms=None if failed else milliseconds(request.time_to_first_token_ms, "ttft"),
        tpot_ms=None if failed else milliseconds(request.inter_token_latency_ms, "tpot"),
    )


def outcome_of_totals(
    known: Format, options: Options, run: RunInfo, benchmark: Benchmark, item: Item
) -> Outcome:
    """A benchmark on the whole, where its report leaves requests out."""
    metrics, totals = benchmark.metrics, benchmark.metrics.request_totals
    ended = [totals.successful, totals.incomplete]
    start = moment(benchmark.start_time, "start_time")
    period = period_of(start, moment(benchmark.end_time, "end_time"), "start_time")
    told = summary_of(
        known,
        options,
        fingerprint=benchmark.fingerprint(),
        period_start=period[0],
        period_end=period[1],
        model=run.model or options.model,
        dimensions=(("run", run.label),),
        requests=known_sum(*(count(each, "request_totals") for each in ended)),
        input_tokens=metrics.prompt_token_count.used(),
        output_tokens=metrics.output_token_count.used(),
    )
    return Aggregated(line=item.line, aggregates=(told,), run=run)


def run_of(benchmark: Benchmark, body: bytes) -> RunInfo:
    """What a benchmark says of itself. body: its JSON."""
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
