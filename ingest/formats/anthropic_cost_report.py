"""Anthropic's cost report: what each day cost, by workspace, model and kind of token."""

import msgspec

from ingest.formats.base import Convention, RejectedError, Sample
from ingest.formats.fields import NOTHING, Decoder, Exact, cost, text
from ingest.formats.report_buckets import Row, bucket_format, results_seen

_DIMENSIONS = (
    "workspace_id", "description", "cost_type", "token_type", "service_tier", "context_window",
    "inference_geo", "speed",
)  # fmt: skip


class Result(msgspec.Struct):
    """One row of a bucket; amount is a decimal text in cents."""

    amount: Exact = NOTHING
    currency: str | None = None
    workspace_id: str | None = None
    description: str | None = None
    cost_type: str | None = None
    token_type: str | None = None
    model: str | None = None
    service_tier: str | None = None
    context_window: str | None = None
    inference_geo: str | None = None
    speed: str | None = None


class Bucket(msgspec.Struct):
    """A day."""

    starting_at: str | None = None
    ending_at: str | None = None
    results: list[Result] = []


_BUCKETS = Decoder(Bucket)


def recognise(sample: Sample) -> str:
    """Buckets whose results have an amount of a kind of cost."""
    is_one = any({"amount", "cost_type"} <= each.keys() for each in results_seen(sample))
    return "has buckets with amounts of a cost_type" if is_one else ""


def _row(result: Result) -> Row:
    cents = cost(result.amount, "amount")
    if cents is None:
        raise RejectedError("missing_field", "a cost without its amount", field="amount")
    return Row(
        model=text(result.model, "model"),
        dimensions={name: getattr(result, name) for name in _DIMENSIONS},
        reported_cost=cents.scaleb(-2),
        reported_currency=text(result.currency, "currency", 3).upper(),
    )


FORMAT = bucket_format(
    name="anthropic_cost_report",
    title="Anthropic cost report",
    provider="anthropic",
    bucket=_BUCKETS.decoded,
    ends=("starting_at", "ending_at"),
    row=_row,
    recognise=recognise,
    convention=Convention.DISJOINT,
    where="GET /v1/organizations/cost_report with an admin key",
    source="Anthropic's API reference",
)
