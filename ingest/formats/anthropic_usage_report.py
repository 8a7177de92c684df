"""Anthropic's usage report: buckets of time with their tokens, by workspace, key and model."""

import msgspec

from accounting.domain.tokens import from_disjoint
from ingest.formats.base import Aggregated, Convention, Item, Outcome, Sample, Skipped
from ingest.formats.fields import Count, Decoder, count, text
from ingest.formats.moments import moment
from ingest.formats.occurrences import Seen
from ingest.formats.reports import aggregate, period_of, report_format, results_seen

_DIMENSIONS = (
    "workspace_id", "api_key_id", "service_tier", "context_window", "inference_geo", "speed",
)  # fmt: skip


class Creation(msgspec.Struct):
    """Tokens written to the cache, by how long they stay."""

    ephemeral_5m_input_tokens: Count = None
    ephemeral_1h_input_tokens: Count = None


class Tools(msgspec.Struct):
    """Calls of tools on Anthropic's side."""

    web_search_requests: Count = None


class Result(msgspec.Struct):
    """One row of a bucket; its input counts stand apart from each other."""

    uncached_input_tokens: Count = None
    cache_creation: Creation | None = None
    cache_read_input_tokens: Count = None
    output_tokens: Count = None
    server_tool_use: Tools | None = None
    api_key_id: str | None = None
    workspace_id: str | None = None
    model: str | None = None
    service_tier: str | None = None
    context_window: str | None = None
    inference_geo: str | None = None
    speed: str | None = None


class Bucket(msgspec.Struct):
    """A span of time."""

    starting_at: str | None = None
    ending_at: str | None = None
    results: list[Result] = []


_DECODER = Decoder(Bucket)


def recognise(sample: Sample) -> str:
    """Buckets whose results count uncached input."""
    is_one = any("uncached_input_tokens" in each for each in results_seen(sample))
    return "has buckets with uncached_input_tokens" if is_one else ""


def _bucket(seen: Seen, item: Item) -> Outcome:
    bucket = _DECODER.decoded(item)
    start, end = moment(bucket.starting_at, "starting_at"), moment(bucket.ending_at, "ending_at")
    period = period_of(start, end, "starting_at")
    rows = []
    for result in bucket.results:
        made, tools = result.cache_creation or Creation(), result.server_tool_use or Tools()
        written = [
            count(made.ephemeral_5m_input_tokens, "cache_creation.ephemeral_5m_input_tokens"),
            count(made.ephemeral_1h_input_tokens, "cache_creation.ephemeral_1h_input_tokens"),
        ]
        told = [tokens for tokens in written if tokens is not None]
        counts = from_disjoint(
            uncached=count(result.uncached_input_tokens, "uncached_input_tokens"),
            cache_read=count(result.cache_read_input_tokens, "cache_read_input_tokens"),
            cache_write=sum(told) if told else None,
            output_tokens=count(result.output_tokens, "output_tokens"),
        )
        rows.append(
            aggregate(
                FORMAT.name,
                seen,
                period=period,
                provider="anthropic",
                model=text(result.model, "model"),
                dimensions={name: getattr(result, name) for name in _DIMENSIONS},
                input_tokens=counts.input_tokens,
                cache_read_input_tokens=counts.cache_read_input_tokens,
                cache_write_input_tokens=counts.cache_write_input_tokens,
                output_tokens=counts.output_tokens,
                web_search_requests=count(tools.web_search_requests, "web_search_requests"),
            )
        )
    return Aggregated(line=item.line, aggregates=tuple(rows)) if rows else Skipped(line=item.line)


FORMAT = report_format(
    name="anthropic_usage_report",
    title="Anthropic usage report",
    row=_bucket,
    recognise=recognise,
    convention=Convention.DISJOINT,
    where="GET /v1/organizations/usage_report/messages with an admin key",
    source="Anthropic's API reference",
    pages=("data",),
)
