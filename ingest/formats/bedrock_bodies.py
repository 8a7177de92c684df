"""The answer that Bedrock's invocation log keeps: a body, or the events of a stream, of any model."""

from collections.abc import Iterator
from dataclasses import replace

import msgspec

from ingest.formats import anthropic_usage, bedrock_usage
from ingest.formats.base import Counted
from ingest.formats.cells import inner_json, inner_list
from ingest.formats.fields import Count, Decoder, Exact


class Metrics(msgspec.Struct, rename="camel"):
    """Converse's timing."""

    latency_ms: Count = None


class Message(msgspec.Struct):
    """What a stream of Anthropic's begins with."""

    id: str | None = None
    usage: anthropic_usage.Usage | None = None


class Delta(msgspec.Struct):
    """What a stream of Anthropic's ends with."""

    stop_reason: str | None = None


class Stop(msgspec.Struct, rename="camel"):
    """What a stream of Converse's ends with."""

    stop_reason: str | None = None


class Trailer(msgspec.Struct):
    """Converse's metadata event."""

    usage: bedrock_usage.Usage | None = None
    metrics: Metrics | None = None


class Piece(
    msgspec.Struct,
    rename={
        "converse_stop_reason": "stopReason",
        "message_stop": "messageStop",
        "invocation": "amazon-bedrock-invocationMetrics",
    },
):
    """A body or one event; only one family's fields are set."""

    id: str | None = None
    usage: msgspec.Raw = msgspec.Raw(b"null")
    message: Message | None = None
    delta: Delta | None = None
    stop_reason: str | None = None
    converse_stop_reason: str | None = None
    message_stop: Stop | None = None
    metadata: Trailer | None = None
    metrics: Metrics | None = None
    invocation: bedrock_usage.Metrics | None = None


class Answer(msgspec.Struct):
    """What the whole body says: of counts that stand in several events the last ones."""

    id: str | None = None
    anthropic: anthropic_usage.Usage | None = None
    converse: bedrock_usage.Usage | None = None
    stop_reason: str | None = None
    latency: Count = None
    first_byte_latency: Count = None


_PIECES = Decoder(Piece)
_ANTHROPIC = Decoder(anthropic_usage.Usage)
_CONVERSE = Decoder(bedrock_usage.Usage)


def answer_of(body: Exact) -> Answer:
    """The answer in outputBodyJson, as far as it tells."""
    answer = Answer()
    for piece in _pieces(body):
        inner = piece.message or Message()
        trailer = piece.metadata or Trailer()
        answer.id = answer.id or inner.id or (piece.id if bytes(piece.usage) != b"null" else None)
        answer.stop_reason = (
            piece.stop_reason
            or piece.converse_stop_reason
            or (piece.delta and piece.delta.stop_reason)
            or (piece.message_stop and piece.message_stop.stop_reason)
            or answer.stop_reason
        )
        usage = bytes(piece.usage)
        if b"_tokens" in usage:
            _over_anthropic(answer, _ANTHROPIC.of(usage))
        elif usage.startswith(b"{"):
            _over_converse(answer, _CONVERSE.of(usage))
        if inner.usage is not None:
            _over_anthropic(answer, inner.usage)
        for found in (trailer.usage, piece.invocation):
            if found is not None:
                _over_converse(answer, found)
        metrics = piece.metrics or trailer.metrics
        answer.latency = metrics.latency_ms if metrics else answer.latency
        if piece.invocation is not None:
            answer.latency = piece.invocation.invocation_latency
            answer.first_byte_latency = piece.invocation.first_byte_latency
    return answer


def with_parts(told: Counted, answer: Answer) -> Counted:
    """The log's own outcome, told by an Anthropic body where there is one.

    The body knows more: cache writes by time, and the parts that are billed apart.
    """
    main = told.records[0]
    if answer.anthropic is None or main.use.usage_state == "missing":
        return told
    records = anthropic_usage.records(
        answer.anthropic,
        identity=main.identity,
        use=main.use,
        place=main.place,
        restamps=main.restamps,
    )
    region = main.use.region
    here = tuple(replace(record, use=replace(record.use, region=region)) for record in records)
    return replace(told, records=here)


def _pieces(body: Exact) -> Iterator[Piece]:
    found = inner_json(body)
    if found.startswith(b"["):
        for each in inner_list(body):
            if each.startswith(b"{"):
                yield _PIECES.of(each)
    elif found.startswith(b"{"):
        yield _PIECES.of(found)


def _over_anthropic(answer: Answer, later: anthropic_usage.Usage) -> None:
    known = {
        name: value
        for name in later.__struct_fields__
        if (value := getattr(later, name)) is not None
    }
    answer.anthropic = msgspec.structs.replace(answer.anthropic or anthropic_usage.Usage(), **known)


def _over_converse(answer: Answer, later: bedrock_usage.Usage) -> None:
    answer.converse = bedrock_usage.laid_over(answer.converse or bedrock_usage.Usage(), later)
