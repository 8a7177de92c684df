"""OpenAI's organization usage: buckets of time with their requests and tokens, by project and key."""

import msgspec

from accounting.domain.tokens import from_inclusive
from ingest.formats.base import Convention, Sample
from ingest.formats.fields import Count, Decoder, count, text
from ingest.formats.moments import Moment
from ingest.formats.report_buckets import Row, bucket_format, results_seen

_PREFIX = "organization.usage."
_DIMENSIONS = ("project_id", "user_id", "api_key_id", "batch", "service_tier")


class Result(msgspec.Struct):
    """One row of a bucket; input_tokens include the cached ones."""

    object: str = ""
    input_tokens: Count = None
    input_cached_tokens: Count = None
    input_cache_write_tokens: Count = None
    output_tokens: Count = None
    num_model_requests: Count = None
    project_id: str | None = None
    user_id: str | None = None
    api_key_id: str | None = None
    model: str | None = None
    batch: bool | None = None
    service_tier: str | None = None


class Bucket(msgspec.Struct):
    """A span of time, its ends in epoch seconds."""

    start_time: Moment = None
    end_time: Moment = None
    results: list[Result] = []


_BUCKETS = Decoder(Bucket)


def recognise(sample: Sample) -> str:
    """Buckets whose results are of organization usage."""
    for each in results_seen(sample):
        if str(each.get("object", "")).startswith(_PREFIX):
            return f"has buckets of {each['object']}"
    return ""


def _row(result: Result) -> Row:
    counts = from_inclusive(
        input_tokens=count(result.input_tokens, "input_tokens"),
        cache_read_input_tokens=count(result.input_cached_tokens, "input_cached_tokens"),
        cache_write_input_tokens=count(result.input_cache_write_tokens, "input_cache_write_tokens"),
        output_tokens=count(result.output_tokens, "output_tokens"),
    )
    return Row(
        model=text(result.model, "model"),
        dimensions={
            "kind": result.object.removeprefix(_PREFIX).removesuffix(".result"),
            **{name: getattr(result, name) for name in _DIMENSIONS},
        },
        counts=counts,
        requests=count(result.num_model_requests, "num_model_requests"),
    )


FORMAT = bucket_format(
    name="openai_org_usage",
    title="OpenAI organization usage",
    provider="openai",
    bucket=_BUCKETS.decoded,
    ends=("start_time", "end_time"),
    row=_row,
    recognise=recognise,
    convention=Convention.INCLUSIVE,
    where="GET /v1/organization/usage/completions (and its sisters) with an admin key",
    source="OpenAI's API reference",
)
