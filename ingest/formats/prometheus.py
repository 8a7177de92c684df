"""Scrapes of an inference server's Prometheus counters: what each counted since the one before."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any

import msgspec

from accounting.domain.aggregates import Aggregate
from accounting.domain.naming import provider_id
from accounting.domain.tokens import COUNT_LIMIT
from ingest.formats.base import (
    Aggregated,
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    RejectedError,
    Sample,
    Scope,
    Skipped,
    State,
    Time,
    Unit,
)
from ingest.formats.fields import json_of, outcomes, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import moment
from ingest.formats.shown import shown

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
_LINE = re.compile(
    r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})?[ \t]+([-+.\w]+)(?:[ \t]+(\d{10,13}))?[ \t]*", re.ASCII
)
_LABEL = re.compile(r'\s*([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"\s*(?:,|$)', re.ASCII)
_MODELS = ("model_name", "model", "model_id")


class Counters(State):
    """The last value of each series, when it was seen, and how often a step was the same."""

    values: dict[str, int] = msgspec.field(default_factory=dict)
    steps: dict[str, int] = msgspec.field(default_factory=dict)
    seen_at: datetime | None = None


def recognise(sample: Sample) -> str:
    """A line of a counter that is known."""
    for line in sample.text.splitlines():
        found = _LINE.fullmatch(line.strip())
        if found and found[1] in COUNTERS:
            return f"has the counter {found[1]}"
    return ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each scrape; the state carries the counters from one to the next."""
    if not isinstance(state, Counters):
        raise TypeError(f"{state!r} is no state of {FORMAT.name}")
    return outcomes(items, partial(_scrape, options, state))


def _scrape(options: Options, state: Counters, item: Item) -> Outcome:
    found = list(_known_series(json_of(item)))
    rows = []
    for name, labels, value, at in found:
        seen_at = at or options.assumed_time
        rows.append(_step(options, state, (name, labels, value), seen_at))
    if not rows:
        return Skipped(line=item.line)
    state.seen_at = max(row.period_end for row in rows)
    return Aggregated(line=item.line, aggregates=tuple(rows))


def _known_series(
    body: bytes,
) -> Iterator[tuple[str, tuple[tuple[str, str], ...], int, datetime | None]]:
    try:
        written = body.decode()
    except UnicodeDecodeError as error:
        raise RejectedError("invalid_utf8", f"not UTF-8 at byte {error.start}") from error
    for line in written.splitlines():
        found = _LINE.fullmatch(line.strip())
        if found and found[1] in COUNTERS:
            at = moment(int(found[4]), "timestamp") if found[4] else None
            yield found[1], _labels(found[2] or ""), _value(found[3], found[1]), at


def _step(
    options: Options,
    state: Counters,
    series: tuple[str, tuple[tuple[str, str], ...], int],
    seen_at: datetime,
) -> Aggregate:
    """What a counter moved; one that fell was started anew and counts from 0."""
    name, labels, value = series
    known = fingerprint(name, labels).hex()
    before = state.values.get(known, 0)
    state.values[known] = value
    step = fingerprint(known, before, value).hex()
    state.steps[step] = state.steps.get(step, 0) + 1
    start = state.seen_at if state.seen_at and state.seen_at <= seen_at else seen_at
    model = next((label for wanted in _MODELS for key, label in labels if key == wanted), "")
    amount: dict[str, Any] = {COUNTERS[name]: value - before if value >= before else value}
    return Aggregate(
        source=FORMAT.name,
        fingerprint=fingerprint(FORMAT.name, step, state.steps[step]),
        period_start=start,
        period_end=seen_at,
        provider=provider_id(options.provider),
        model=model or options.model,
        dimensions=(("counter", name), *labels),
        **amount,
    )


def _labels(written: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        (key, text(value.replace('\\"', '"').replace("\\\\", "\\"), key))
        for key, value in _LABEL.findall(written)
        if key != "counter"
    )


def _value(written: str, name: str) -> int:
    try:
        value = Decimal(written)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or not 0 <= value < COUNT_LIMIT or value != int(value):
        reason = f"{name} = {shown(written)}, expected a whole number of at least 0"
        raise RejectedError("bad_count", reason, field=name, value=written)
    return int(value)


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
    read=read,
    new_state=Counters,
    time=Time.ASSUMED,
    extensions=(".prom", ".txt"),
)
