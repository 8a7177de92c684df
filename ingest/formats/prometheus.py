"""Scrapes of an inference server's Prometheus counters: what each counted since the one before."""

from datetime import datetime
from typing import Any

import msgspec

from accounting.domain.aggregates import Aggregate
from accounting.domain.naming import provider_id
from ingest.formats.base import (
    Aggregated,
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    Sample,
    Scope,
    Skipped,
    State,
    Time,
    Unit,
)
from ingest.formats.expositions import Series, first_of, series_in
from ingest.formats.fields import json_of
from ingest.formats.fingerprints import fingerprint
from ingest.formats.states import read_in_order

#: Each counter's name -> what it counts. llama-server counts only the prompt it had to compute.
COUNTERS = {
    "llamacpp:prompt_tokens_total": "uncached_input_tokens",
    "llamacpp:tokens_predicted_total": "output_tokens",
    "vllm:prompt_tokens_total": "input_tokens",
    "vllm:generation_tokens_total": "output_tokens",
    "vllm:prefix_cache_hits_total": "cache_read_input_tokens",
    "vllm:gpu_prefix_cache_hits_total": "cache_read_input_tokens",
    "vllm:request_success_total": "requests",
    "sglang:prompt_tokens_total": "input_tokens",
    "sglang:generation_tokens_total": "output_tokens",
    "sglang:cached_tokens_total": "cache_read_input_tokens",
    "sglang:num_requests_total": "requests",
    "tgi_request_success": "requests",
    "tgi_request_input_length_sum": "input_tokens",
    "tgi_request_generated_tokens_sum": "output_tokens",
}
COLUMNS = tuple(COUNTERS)
_MODELS = ("model_name", "model", "model_id")


class Counters(State):
    """The last value of each series, when it was seen, and how often a step was the same."""

    values: dict[str, int] = msgspec.field(default_factory=dict)
    steps: dict[str, int] = msgspec.field(default_factory=dict)
    seen_at: datetime | None = None


def recognise(sample: Sample) -> str:
    """A line of a counter that is known."""
    found = first_of(sample.text, COUNTERS)
    return f"has the counter {found}" if found else ""


def _scrape(options: Options, state: Counters, item: Item) -> Outcome:
    series = series_in(json_of(item), COUNTERS)
    rows = tuple(_step(options, state, each) for each in series)
    if not rows:
        return Skipped(line=item.line)
    state.seen_at = max(row.period_end for row in rows)
    return Aggregated(line=item.line, aggregates=rows)


def _step(options: Options, state: Counters, now: Series) -> Aggregate:
    """What a counter moved; one that fell was started anew and counts from 0."""
    seen_at, value = now.at or options.assumed_time, now.value
    known = fingerprint(now.name, now.labels).hex()
    before = state.values.get(known, 0)
    state.values[known] = value
    step = fingerprint(known, before, value).hex()
    state.steps[step] = state.steps.get(step, 0) + 1
    start = state.seen_at if state.seen_at and state.seen_at <= seen_at else seen_at
    amount: dict[str, Any] = {COUNTERS[now.name]: value - before if value >= before else value}
    return Aggregate(
        source=FORMAT.name,
        fingerprint=fingerprint(FORMAT.name, step, state.steps[step]),
        period_start=start,
        period_end=seen_at,
        provider=provider_id(options.provider),
        model=now.label(*_MODELS) or options.model,
        dimensions=(("counter", now.name), *now.labels),
        **amount,
    )


FORMAT = Format(
    name="prometheus",
    title="Prometheus counters of inference servers",
    unit=Unit.TEXT,
    scope=Scope.INPUT,
    convention=Convention.INCLUSIVE,
    key="the counter, its labels, and from which value to which it went",
    where="curl http://server:8000/metrics > 1.prom, again and again; all scrapes of one server"
    " in one folder",
    source="metrics of llama-server, vLLM, SGLang and TGI in their documentation",
    recognise=recognise,
    read=read_in_order(Counters, _scrape),
    new_state=Counters,
    time=Time.ASSUMED,
    extensions=(".prom", ".txt"),
)
