"""Anthropic's usage report: buckets of time with their tokens, by workspace, key and model."""

import msgspec

from accounting.domain.tokens import from_disjoint
from ingest.formats.anthropic_usage import CacheCreation
from ingest.formats.base import Convention, Sample
from ingest.formats.fields import Count, Decoder, count, known_sum, text
from ingest.formats.report_buckets import Row, bucket_format, results_seen

_DIMENSIONS = (
    "workspace_id", "api_key_id", "service_tier", "context_window", "inference_geo", "speed",
)  # fmt: skip


class Tools(msgspec.Struct):
    """Calls of tools on Anthropic's side."""

    web_search_requests: Count = None


class Result(msgspec.Struct):
    """One row of a bucket; its input counts stand apart from each other."""

    uncached_input_tokens: Count = None
    cache_creation: CacheCreation | None = None
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


_BUCKETS = Decoder(Bucket)


def recognise(sample: Sample) -> str:
    """Buckets whose results count uncached input."""
    is_one = any("uncached_input_tokens" in each for each in results_seen(sample))
    return "has buckets with uncached_input_tokens" if is_one else ""


def _row(result: Result) -> Row:
    made, tools = result.cache_creation or CacheCreation(), result.server_tool_use or Tools()
    written = known_sum(
        count(made.ephemeral_5m_input_tokens, "cache_creation.ephemeral_5m_input_tokens"),
        count(made.ephemeral_1h_input_tokens, "cache_creation.ephemeral_1h_input_tokens"),
    )
    counts = from_disjoint(
        uncached=count(result.uncached_input_tokens, "uncached_input_tokens"),
        cache_read=count(result.cache_read_input_tokens, "cache_read_input_tokens"),
        cache_write=written,
        output_tokens=count(result.output_tokens, "output_tokens"),
        web_search_requests=count(tools.web_search_requests, "web_search_requests"),
    )
    return Row(
        model=text(result.model, "model"),
        dimensions={name: getattr(result, name) for name in _DIMENSIONS},
        counts=counts,
    )


FORMAT = bucket_format(
    name="anthropic_usage_report",
    title="Anthropic usage report",
    provider="anthropic",
    bucket=_BUCKETS.decoded,
    ends=("starting_at", "ending_at"),
    row=_row,
    recognise=recognise,
    convention=Convention.DISJOINT,
    where="GET /v1/organizations/usage_report/messages with an admin key",
    source="Anthropic's API reference",
)
