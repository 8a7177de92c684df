"""OTLP metrics: token counters and histograms of GenAI instrumentations and of Claude Code."""

from typing import Any

import msgspec

from accounting.domain.aggregates import Aggregate
from accounting.domain.naming import provider_id
from ingest.formats.base import Aggregated, Convention, Item, Options, Outcome, Sample, Skipped
from ingest.formats.fields import Decoder, cost, count, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.otlp_metric_points import Metric, Metrics, Point, points_of
from ingest.formats.otlp_values import Attributes, of_pairs
from ingest.formats.tables import row_format

_USAGE = "gen_ai.client.token.usage"
_SERVED = "gen_ai.client.inference.usage."
_CLAUDE, _CLAUDE_COST = "claude_code.token.usage", "claude_code.cost.usage"
#: (metric, its kind of token) -> what it counts. Claude Code counts its input apart from the cache.
COUNTED = {
    (_USAGE, "input"): "input_tokens",
    (_USAGE, "output"): "output_tokens",
    (_SERVED + "input_tokens", ""): "input_tokens",
    (_SERVED + "output_tokens", ""): "output_tokens",
    (_SERVED + "cache_read.input_tokens", ""): "cache_read_input_tokens",
    (_SERVED + "cache_write.input_tokens", ""): "cache_write_input_tokens",
    (_SERVED + "reasoning.output_tokens", ""): "reasoning_output_tokens",
    (_CLAUDE, "input"): "uncached_input_tokens",
    (_CLAUDE, "cacheRead"): "cache_read_input_tokens",
    (_CLAUDE, "cacheCreation"): "cache_write_input_tokens",
    (_CLAUDE, "output"): "output_tokens",
}
_NAMES = {metric for metric, _ in COUNTED} | {_CLAUDE_COST}
_KINDS = ("gen_ai.token.type", "type")
_MODEL = ("gen_ai.response.model", "gen_ai.request.model", "model")
_DECODER = Decoder(Metrics)


def recognise(sample: Sample) -> str:
    """An export of metrics."""
    names = {"resourceMetrics", "resource_metrics"}
    for each in (*sample.objects, dict.fromkeys(sample.keys)):
        if found := names & each.keys():
            return f"has {found.pop()}"
    return ""


def _export(options: Options, item: Item) -> Outcome:
    rows = []
    for resource, metric in points_of(_DECODER.decoded(item)):
        if metric.name in _NAMES:
            told = of_pairs(resource)
            rows += [_row(options, told, metric, point) for point in metric.points()]
    told_rows = tuple(row for row in rows if row is not None)
    if not told_rows:
        return Skipped(line=item.line)
    return Aggregated(line=item.line, aggregates=told_rows)


def _row(options: Options, resource: Attributes, metric: Metric, point: Point) -> Aggregate | None:
    """A point as a row; None where it counts something else, such as Gemini CLI's tool tokens."""
    values = of_pairs(point.attributes)
    kind = values.text(*_KINDS) if metric.name in {_USAGE, _CLAUDE} else ""
    amounts: dict[str, Any] = {}
    if metric.name == _CLAUDE_COST:
        amounts = {"reported_cost": cost(point.amount(), metric.name), "reported_currency": "USD"}
    elif (metric.name, kind) in COUNTED:
        name = COUNTED[metric.name, kind]
        amounts[name] = count(point.total(), metric.name)
        if (metric.name, name) == (_USAGE, "input_tokens"):
            # Every request has one input; its output may be counted in several histograms.
            amounts["requests"] = count(point.count, "count")
    if not amounts:
        return None
    start, end = point.period()
    basis = [metric.name, _known(resource), _known(values), start.isoformat()]
    if metric.is_delta():
        basis.append(end.isoformat())
    labels = {
        "metric": metric.name,
        "service": resource.text("service.name"),
        "instance": resource.text("service.instance.id", "host.name"),
        "kind": kind,
        "user": values.text("user.email", "user.account_uuid", "user.id"),
        "operation": values.text("gen_ai.operation.name"),
    }
    provider = values.text("gen_ai.provider.name", "gen_ai.system") or options.provider
    if not provider and metric.name in {_CLAUDE, _CLAUDE_COST}:
        provider = "anthropic"
    return Aggregate(
        source=FORMAT.name,
        fingerprint=fingerprint(FORMAT.name, *basis),
        period_start=start,
        period_end=end,
        provider=provider_id(provider),
        model=values.text(*_MODEL) or options.model,
        dimensions=tuple((name, label) for name, label in labels.items() if label),
        **amounts,
    )


def _known(attributes: Attributes) -> list[tuple[str, str]]:
    return sorted((text(key, "key"), _written(value)) for key, value in attributes.values.items())


def _written(value: object) -> str:
    return bytes(value).decode() if isinstance(value, msgspec.Raw) else str(value)


FORMAT = row_format(
    name="otlp_metrics",
    title="OpenTelemetry metrics (OTLP JSON)",
    row=_export,
    recognise=recognise,
    convention=Convention.INCLUSIVE,
    key="metric, attributes and start of the series; of a delta its end too",
    where="the Collector's file exporter, or any OTLP exporter that writes JSON",
    source="OpenTelemetry's GenAI conventions; Claude Code's monitoring documentation",
)
