"""GuideLLM's report: one document with its benchmarks, each with its requests by how they ended."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from accounting.domain.errors import DomainError
from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    RejectedError,
    Sample,
    Scope,
    State,
    Unit,
)
from ingest.formats.fields import Decoder, count, json_of, outcome_of
from ingest.formats.guidellm_report import Benchmark, Benchmarks
from ingest.formats.guidellm_requests import outcome_of_request, outcome_of_totals, run_of

_REPORT = Decoder(Benchmarks)
_BENCHMARK = Decoder(Benchmark)


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
            if item.refusal is not None:
                raise item.refusal
            benchmarks = _REPORT.decoded(item).benchmarks
        except RejectedError as error:
            yield error.at(item)
            continue
        line = item.line
        for each in benchmarks:
            for outcome in _benchmark(options, replace(item, line=line, body=bytes(each))):
                yield outcome
                line += 1


def _benchmark(options: Options, item: Item) -> Iterator[Outcome]:
    try:
        benchmark = _BENCHMARK.decoded(item)
        run = run_of(benchmark, json_of(item))
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
            yield outcome_of(request, partial(outcome_of_request, FORMAT, options, run, status))
            line += 1
    if line - item.line < made:
        summary = replace(item, line=line)
        yield outcome_of(summary, partial(outcome_of_totals, FORMAT, options, run, benchmark))


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
