"""Amazon Bedrock's model invocation log, as it lies in S3 or CloudWatch."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

import msgspec

from accounting.domain.usage import Identity, Use
from ingest.formats import anthropic_usage, bedrock_usage
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
    Unit,
)
from ingest.formats.bedrock_bodies import Answer, answer_of
from ingest.formats.calls import counted, used
from ingest.formats.cells import inner_object
from ingest.formats.fields import NOTHING, Decoder, Exact, milliseconds, outcomes, text
from ingest.formats.labels import labels_of
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import state_of

_SCHEMA = "ModelInvocationLog"
#: What the caller did wrong; other errors are Bedrock's.
_CLIENT_ERRORS = {"ValidationException", "AccessDeniedException", "ResourceNotFoundException"}


class Input(bedrock_usage.Usage, rename="camel"):
    """What was asked, with the log's own counts of the input."""

    input_body_json: Exact = NOTHING


class Output(bedrock_usage.Usage, rename="camel"):
    """What was answered, with the log's own count of the output."""

    output_body_json: Exact = NOTHING


class Caller(msgspec.Struct):
    """Who called."""

    arn: str | None = None


class Row(msgspec.Struct, rename="camel"):
    """One invocation; its input count leaves out cached tokens."""

    schema_type: str | None = None
    timestamp: Moment = None
    identity: Caller | None = None
    region: str | None = None
    request_id: str | None = None
    operation: str | None = None
    model_id: str | None = None
    error_code: str | None = None
    input: Input | None = None
    output: Output | None = None
    request_metadata: Exact = NOTHING


_DECODER = Decoder(Row, {"inputTokenCount": 2, "outputTokenCount": 2, "requestId": 1})


def recognise(sample: Sample) -> str:
    """Its schema type."""
    fits = any(each.get("schemaType") == _SCHEMA for each in sample.objects)
    return f"has schemaType {_SCHEMA}" if fits or "schemaType" in sample.keys else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each invocation."""
    return outcomes(items, partial(_row, options))


def _row(options: Options, item: Item) -> Outcome:
    row = _DECODER.decoded(item)
    if row.schema_type != _SCHEMA:
        return Skipped(line=item.line)
    given, made = row.input or Input(), row.output or Output()
    answer = answer_of(made.output_body_json)
    usage = bedrock_usage.laid_over(
        bedrock_usage.laid_over(given, made), answer.converse or bedrock_usage.Usage()
    )
    error = text(row.error_code, "errorCode")
    counts = used(bedrock_usage.counts_of(usage), failed=bool(error))
    model = text(row.model_id, "modelId")
    asked = inner_object(given.input_body_json)
    operation = text(row.operation, "operation")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider="aws",
        request_model=model,
        response_model=model,
        operation="embeddings" if "embed" in model else "chat",
        region=text(row.region, "region", 80),
        status="error" if error else "ok",
        error_type=error,
        error_origin=("client" if error in _CLIENT_ERRORS else "upstream") if error else "",
        finish_reason=text(answer.stop_reason, "stopReason", 80),
        is_stream="Stream" in operation if operation else None,
        max_output_tokens=_limit(asked),
        duration_ms=milliseconds(answer.latency, "latency"),
        ttft_ms=milliseconds(answer.first_byte_latency, "firstByteLatency"),
    )
    labels = labels_of(inner_object(row.request_metadata), "requestMetadata")
    caller = text(row.identity.arn, "identity.arn") if row.identity else ""
    told = counted(
        item,
        options,
        identity=Identity(
            response_id=text(answer.id, "id"), gateway_request_id=text(row.request_id, "requestId")
        ),
        use=use,
        started_at=moment(row.timestamp, "timestamp", naive_is_utc=True),
        time_quality="second",
        **labels.where(user_id=labels.user_id or caller.rpartition("/")[2]),
    )
    return _with_parts(told, answer, use, item)


def _with_parts(told: Counted, answer: Answer, use: Use, item: Item) -> Counted:
    """An Anthropic body knows more than the log: cache writes by time, and parts billed apart."""
    if answer.anthropic is None or use.usage_state == "missing":
        return told
    main = told.records[0]
    records = anthropic_usage.records(
        answer.anthropic,
        identity=main.identity,
        use=use,
        place=main.place,
        restamps=main.restamps,
    )
    here = tuple(replace(record, use=replace(record.use, region=use.region)) for record in records)
    return Counted(line=item.line, records=here, warnings=told.warnings)


def _limit(asked: dict[str, object]) -> int | None:
    """The longest answer asked for, in Converse's words or Anthropic's."""
    settings = asked.get("inferenceConfig")
    value = settings.get("maxTokens") if isinstance(settings, dict) else asked.get("max_tokens")
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


FORMAT = Format(
    name="bedrock_invocation",
    title="Amazon Bedrock invocation log",
    unit=Unit.JSON,
    scope=Scope.RECORD,
    convention=Convention.DISJOINT,
    key="id of the message where the body has one, else requestId",
    where="model invocation logging to S3 (….json.gz) or CloudWatch Logs",
    source="AWS's documentation; public parsers",
    recognise=recognise,
    read=read,
    extensions=(".json", ".jsonl", ".json.gz"),
)
