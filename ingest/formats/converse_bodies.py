"""An answer of Amazon Bedrock's Converse: a body, or the events of a stream."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.usage import NOTHING_REPORTED, Use
from ingest.formats.base import Item, Outcome, RejectedError, Skipped
from ingest.formats.bedrock_bodies import answer_of
from ingest.formats.bedrock_usage import WATCHED, counts_of
from ingest.formats.body_reading import Family, Reading, usage_of
from ingest.formats.calls import counted
from ingest.formats.fields import Decoder, json_of, milliseconds, text
from ingest.formats.moments import moment
from ingest.formats.openai_usage import state_of


class Headers(msgspec.Struct):
    """The HTTP headers that AWS's libraries keep: 'Tue, 07 Apr 2026 08:00:00 GMT'."""

    date: str | None = None


class Metadata(msgspec.Struct, rename="pascal"):
    """What AWS's libraries add to a body."""

    request_id: str | None = None
    headers: Headers | None = msgspec.field(default=None, name="HTTPHeaders")


class Tier(msgspec.Struct):
    """The service tier that served the request."""

    type: str | None = None


class Body(msgspec.Struct, rename="camel"):
    """What stands beside an answer."""

    response_metadata: Metadata | None = msgspec.field(default=None, name="ResponseMetadata")
    service_tier: Tier | None = None


_BODIES = Decoder(Body, WATCHED)


def fits(body: Mapping[str, object]) -> bool:
    """A body with Converse's usage."""
    return "inputTokens" in usage_of(body)


def read(item: Item, reading: Reading) -> Outcome:
    """One answer: a body, or a list of the events of a stream."""
    body = json_of(item)
    return outcome(body, _BODIES.of(body), item, reading, is_stream=None)


def outcome(
    body: bytes, beside: Body, item: Item, reading: Reading, *, is_stream: bool | None
) -> Outcome:
    """One answer. body: its JSON, or a JSON list of its events."""
    options = reading.options
    answer = answer_of(msgspec.Raw(body))
    if answer.converse is None and answer.stop_reason is None:
        return Skipped(line=item.line)
    counts = counts_of(answer.converse) if answer.converse else NOTHING_REPORTED
    told = beside.response_metadata or Metadata()
    request_id = text(told.request_id, "ResponseMetadata.RequestId")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=reading.source,
        provider=provider_id(options.provider or "aws"),
        request_model=options.model,
        service_tier=text(beside.service_tier.type if beside.service_tier else None, "tier", 40),
        status="ok" if answer.stop_reason or not is_stream else "cancelled",
        finish_reason=text(answer.stop_reason, "stopReason", 80),
        is_stream=is_stream,
        duration_ms=milliseconds(answer.latency, "metrics.latencyMs"),
    )
    date = told.headers.date if told.headers else None
    return counted(
        item,
        options,
        identity=reading.identity(item, gateway_request_id=request_id),
        use=use,
        started_at=moment(_iso(date), "ResponseMetadata.HTTPHeaders.date"),
        time_quality="second",
    )


def _iso(date: str | None) -> str | None:
    try:
        return parsedate_to_datetime(date).isoformat() if date else None
    except ValueError as error:
        field = "ResponseMetadata.HTTPHeaders.date"
        raise RejectedError("bad_time", f"{field} is no date", field=field, value=date) from error


FAMILY = Family(name="Converse answer", fits=fits, read=read)
