"""Vertex AI's request-response log: rows of its BigQuery table."""

import re
from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from accounting.domain.usage import NOTHING_REPORTED, Identity, Use
from ingest.formats import anthropic_usage, gemini_usage
from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    Sample,
    Scope,
    State,
    Unit,
)
from ingest.formats.calls import counted, has_failed, http_status, used
from ingest.formats.cells import inner_json, inner_object
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, milliseconds, outcomes, text
from ingest.formats.labels import labels_of
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import state_of

_KEYS = {"logging_time", "full_response", "api_method"}
_REGION = re.compile(r"/locations/([a-z0-9-]+)/")


class Row(msgspec.Struct):
    """One request. full_response is an answer of Gemini's or Anthropic's, or a list of chunks."""

    endpoint: str | None = None
    logging_time: Moment = None
    request_id: str | int | None = None
    model: str | None = None
    api_method: str | None = None
    full_request: Exact = NOTHING
    full_response: Exact = NOTHING
    metadata: Exact = NOTHING


class Message(msgspec.Struct):
    """An answer of Anthropic's."""

    id: str | None = None
    stop_reason: str | None = None
    usage: anthropic_usage.Usage | None = None


class Metadata(msgspec.Struct):
    """How long it took, in milliseconds."""

    request_latency: Count = None


_ROWS = Decoder(Row)
_BODIES = Decoder(gemini_usage.Body, gemini_usage.WATCHED)
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_MESSAGES = Decoder(Message)
_METADATA = Decoder(Metadata)


def recognise(sample: Sample) -> str:
    """The columns of the table."""
    fits = any(each.keys() >= _KEYS for each in sample.objects) or sample.keys >= _KEYS
    return "has logging_time, api_method and full_response" if fits else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each request."""
    return outcomes(items, partial(_row, options))


def _row(options: Options, item: Item) -> Outcome:
    row = _ROWS.decoded(item)
    body = _body(row.full_response)
    message = _message(row.full_response)
    counts = NOTHING_REPORTED
    if body.usage is not None:
        counts = gemini_usage.counts_of(body.usage)
    elif message.usage is not None:
        counts = anthropic_usage.counts_of(message.usage)
    status = http_status(body.error.code if body.error else None, "error.code")
    failed = body.error is not None or has_failed(status)
    counts = used(counts, failed=failed)
    model = text(row.model, "model")
    asked = inner_object(row.full_request)
    latency = _METADATA.of(inner_json(row.metadata) or b"{}").request_latency
    region = _REGION.search(row.endpoint or "")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider="google",
        request_model=model,
        response_model=text(body.model_version, "modelVersion") or model,
        operation="embeddings" if "embed" in (row.api_method or "").lower() else "chat",
        service_tier=gemini_usage.tier_of(body.usage) if body.usage else "",
        region=region[1] if region else "",
        status="error" if failed else "ok",
        http_status=status,
        error_type=text(body.error.status, "error.status") if body.error else "",
        error_origin="upstream" if failed else "",
        finish_reason=body.finish_reason or text(message.stop_reason, "stop_reason", 80),
        is_stream="stream" in row.api_method.lower() if row.api_method else None,
        max_output_tokens=_limit(asked),
        duration_ms=milliseconds(latency, "metadata.request_latency"),
    )
    labels = labels_of(_object(asked.get("labels")), "labels")
    return counted(
        item,
        options,
        identity=Identity(
            response_id=text(body.response_id or message.id, "responseId"),
            gateway_request_id=text(str(row.request_id or ""), "request_id"),
        ),
        use=use,
        started_at=moment(row.logging_time, "logging_time", naive_is_utc=True),
        **labels.where(),
    )


def _body(response: Exact) -> gemini_usage.Body:
    """The answer; the chunks of a stream as one."""
    found = inner_json(response)
    if found.startswith(b"["):
        chunks = (bytes(each) for each in _LIST.decode(found))
        return gemini_usage.joined(_BODIES.of(chunk) for chunk in chunks)
    return _BODIES.of(found if found.startswith(b"{") else b"{}")


def _message(response: Exact) -> Message:
    found = inner_json(response)
    return _MESSAGES.of(found if found.startswith(b"{") else b"{}")


def _limit(asked: dict[str, object]) -> int | None:
    """The longest answer asked for, in Gemini's words or Anthropic's."""
    settings = _object(asked.get("generationConfig"))
    value = settings.get("maxOutputTokens", asked.get("max_tokens"))
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _object(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


FORMAT = Format(
    name="vertex_log",
    title="Vertex AI request-response log",
    unit=Unit.JSON,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="responseId or id of the answer where it has one, else request_id",
    where="the BigQuery table of request-response logging as JSON lines; mind its sampling rate",
    source="public queries over the table",
    recognise=recognise,
    read=read,
)
