"""OpenAI's organization costs: what each day cost, by project and line item."""

import msgspec

from ingest.formats.base import Convention, RejectedError, Sample
from ingest.formats.fields import NOTHING, Decoder, Exact, cost, text
from ingest.formats.moments import Moment
from ingest.formats.report_buckets import Row, bucket_format, results_seen

_KIND = "organization.costs.result"


class Amount(msgspec.Struct):
    """Money; the currency in small letters."""

    value: Exact = NOTHING
    currency: str = ""


class Result(msgspec.Struct):
    """One row of a bucket."""

    amount: Amount | None = None
    line_item: str | None = None
    project_id: str | None = None
    organization_id: str | None = None


class Bucket(msgspec.Struct):
    """A day, its ends in epoch seconds."""

    start_time: Moment = None
    end_time: Moment = None
    results: list[Result] = []


_BUCKETS = Decoder(Bucket)


def recognise(sample: Sample) -> str:
    """Buckets whose results are of organization costs."""
    is_one = any(each.get("object") == _KIND for each in results_seen(sample))
    return f"has buckets of {_KIND}" if is_one else ""


def _row(result: Result) -> Row:
    amount = cost(result.amount.value, "amount.value") if result.amount else None
    if result.amount is None or amount is None:
        raise RejectedError("missing_field", "a cost without its amount", field="amount.value")
    line_item = text(result.line_item, "line_item")
    return Row(
        model=line_item.partition(", ")[0],
        dimensions={
            "line_item": line_item,
            "project_id": result.project_id,
            "organization_id": result.organization_id,
        },
        reported_cost=amount,
        reported_currency=text(result.amount.currency, "amount.currency", 3).upper(),
    )


FORMAT = bucket_format(
    name="openai_org_costs",
    title="OpenAI organization costs",
    provider="openai",
    bucket=_BUCKETS.decoded,
    ends=("start_time", "end_time"),
    row=_row,
    recognise=recognise,
    convention=Convention.INCLUSIVE,
    where="GET /v1/organization/costs with an admin key",
    source="OpenAI's API reference",
)
