"""An answer of Gemini's: a body, or the chunks of a stream put together."""

from collections.abc import Mapping

from accounting.domain.naming import provider_id
from accounting.domain.usage import NOTHING_REPORTED, Use
from ingest.formats.base import Item, Outcome, Skipped
from ingest.formats.body_reading import Family, Reading
from ingest.formats.calls import counted, http_status
from ingest.formats.fields import Decoder, text
from ingest.formats.gemini_usage import WATCHED, Body, counts_of, tier_of
from ingest.formats.moments import moment
from ingest.formats.openai_usage import state_of

DECODER = Decoder(Body, WATCHED)


def fits(body: Mapping[str, object]) -> bool:
    """A body with Gemini's usage."""
    return isinstance(body.get("usageMetadata"), dict)


def read(item: Item, reading: Reading) -> Outcome:
    """One answer."""
    return outcome(DECODER.decoded(item), item, reading)


def outcome(body: Body, item: Item, reading: Reading, *, is_stream: bool | None = None) -> Outcome:
    """One answer, put together."""
    usage, error, options = body.usage, body.error, reading.options
    if usage is None and error is None and body.candidates is None:
        return Skipped(line=item.line)
    counts = NOTHING_REPORTED if usage is None else counts_of(usage)
    model = text(body.model_version, "modelVersion")
    response_id = text(body.response_id, "responseId")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=reading.source,
        provider=provider_id(options.provider or "google"),
        request_model=model or options.model,
        response_model=model,
        service_tier=tier_of(usage) if usage else "",
        status="error" if error else "ok",
        http_status=http_status(error.code if error else None, "error.code"),
        error_type=text(error.status, "error.status") if error else "",
        error_origin="upstream" if error else "",
        finish_reason=body.finish_reason,
        is_stream=is_stream,
    )
    return counted(
        item,
        options,
        identity=reading.identity(item, response_id=response_id),
        use=use,
        started_at=moment(body.create_time, "createTime"),
    )


FAMILY = Family(name="Gemini answer", fits=fits, read=read)
