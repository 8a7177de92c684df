"""An answer of Anthropic's Messages API, or an error in place of one."""

from collections.abc import Mapping

from accounting.domain.usage import Place, Use
from ingest.formats import anthropic_streams
from ingest.formats.answers import Stream
from ingest.formats.anthropic_streams import Answer, Body
from ingest.formats.anthropic_usage import WATCHED, provider_of, records
from ingest.formats.base import Counted, Item, Outcome
from ingest.formats.body_reading import Family, Reading, usage_of
from ingest.formats.fields import Decoder, text

#: What tells this usage from OpenAI's, which counts input_tokens too.
_OWN = {
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "cache_creation",
    "server_tool_use",
}

DECODER = Decoder(Body, WATCHED)


def fits(body: Mapping[str, object]) -> bool:
    """A message, an error of this interface, or a usage with Anthropic's cache buckets."""
    usage = usage_of(body)
    if body.get("type") == "error" and isinstance(body.get("error"), dict):
        return True
    own = body.get("type") == "message" or bool(_OWN & usage.keys())
    return "input_tokens" in usage and "total_tokens" not in usage and own


def read(item: Item, reading: Reading) -> Outcome:
    """One message."""
    body = DECODER.decoded(item)
    answer = Answer(body=body, usage=body.usage, is_stream=False)
    return outcome(answer, item, reading)


def outcome(answer: Answer, item: Item, reading: Reading) -> Counted:
    """One message, put together, with the calls that are billed beside it."""
    body, options = answer.body, reading.options
    model = text(body.model, "model")
    response_id = text(body.id, "id")
    request_id = text(body.request_id, "request_id")
    failed = body.error is not None
    use = Use(
        source=reading.source,
        provider=provider_of(response_id, model, options.provider or "anthropic"),
        request_model=model or options.model,
        response_model=model,
        status="error" if failed else "ok" if answer.has_ended else "cancelled",
        error_type=text(body.error.type, "error.type") if body.error else "",
        error_origin="upstream" if failed else "",
        finish_reason=text(body.stop_reason, "stop_reason", 80),
        is_stream=answer.is_stream,
    )
    told = records(
        answer.usage,
        identity=reading.identity(item, response_id=response_id, gateway_request_id=request_id),
        use=use,
        # Neither bodies nor events carry a time, so another import may assume another one.
        place=Place(
            started_at=options.assumed_time,
            user_id=options.user_id,
            time_quality="assumed",
            line=item.line,
        ),
        restamps=True,
    )
    return Counted(line=item.line, records=told)


FAMILY = Family(name="message", fits=fits, read=read)
STREAM = Stream(
    chunk=anthropic_streams.EVENTS,
    answers=anthropic_streams.answers_of,
    outcome=outcome,
    missing="no message_start among the events",
)
