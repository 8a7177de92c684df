"""Anthropic's Messages API: answer bodies, error bodies, and streams of events."""

from collections.abc import Iterable, Iterator
from functools import partial

from accounting.domain.usage import Identity, Place, Use
from ingest.formats.anthropic_streams import Answer, Body, answers_of
from ingest.formats.anthropic_usage import WATCHED, provider_of, records
from ingest.formats.base import (
    Convention,
    Counted,
    Format,
    Item,
    Options,
    Outcome,
    Sample,
    Scope,
    Skipped,
    State,
    Time,
    Unit,
)
from ingest.formats.fields import Decoder, outcome_of, outcomes_of_stream, text
from ingest.formats.fingerprints import fingerprint

_BODIES = Decoder(Body, WATCHED)


def recognise(sample: Sample) -> str:
    """Messages with usage, the API's errors, or the events of its streams."""
    for each in sample.objects:
        kind = each.get("type")
        if kind == "message" and "usage" in each:
            return "has messages with usage"
        if kind == "error" and isinstance(each.get("error"), dict):
            return "has the API's errors"
        if kind in {"message_start", "message_delta"}:
            return "has the events of a message stream"
    fits = {"role", "content", "model", "type"} <= sample.keys
    return "begins like a message" if fits else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each body and each streamed message."""
    for item in items:
        if item.is_stream:
            yield from outcomes_of_stream(item, answers_of, partial(_outcome, options))
        else:
            yield outcome_of(item, partial(_body, options))


def _body(options: Options, item: Item) -> Outcome:
    body = _BODIES.decoded(item)
    if body.type not in {"message", "error"}:
        return Skipped(line=item.line)
    return _outcome(options, Answer(line=item.line, body=body, usage=body.usage, is_stream=False))


def _outcome(options: Options, answer: Answer) -> Outcome:
    body = answer.body
    model = text(body.model, "model")
    response_id = text(body.id, "id")
    request_id = text(body.request_id, "request_id")
    known = bool(response_id or request_id)
    failed = body.error is not None
    use = Use(
        source=FORMAT.name,
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
        identity=Identity(
            response_id=response_id,
            gateway_request_id=request_id,
            fingerprint=b"" if known else fingerprint(body, answer.usage),
        ),
        use=use,
        # Neither bodies nor events carry a time, so another import may assume another one.
        place=Place(
            started_at=options.assumed_time,
            user_id=options.user_id,
            time_quality="assumed",
            line=answer.line,
        ),
        restamps=True,
    )
    return Counted(line=answer.line, records=told)


FORMAT = Format(
    name="anthropic_messages",
    title="Anthropic messages",
    unit=Unit.JSON,
    also=(Unit.SSE,),
    scope=Scope.RECORD,
    convention=Convention.DISJOINT,
    key="id of the message; of an error request_id, else its text",
    where="bodies or event streams of POST /v1/messages, kept by your own program or proxy",
    source="anthropic-sdk-python's types; streams recorded by vercel/ai",
    recognise=recognise,
    read=read,
    restamps=True,
    time=Time.ASSUMED,
    extensions=(".json", ".jsonl", ".sse", ".txt"),
)
