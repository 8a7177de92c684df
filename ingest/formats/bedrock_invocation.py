"""Amazon Bedrock's model invocation log, as it lies in S3 or CloudWatch."""

from accounting.domain.usage import Identity, Use
from ingest.formats import bedrock_usage
from ingest.formats.base import Convention, Item, Options, Outcome, Sample, Skipped
from ingest.formats.bedrock_bodies import answer_of, with_parts
from ingest.formats.bedrock_rows import ROWS, Input, Output, limit_of
from ingest.formats.calls import counted, used
from ingest.formats.cells import inner_object
from ingest.formats.fields import milliseconds, text
from ingest.formats.labels import labels_of
from ingest.formats.moments import moment
from ingest.formats.openai_usage import state_of
from ingest.formats.tables import row_format

_SCHEMA = "ModelInvocationLog"
#: What the caller did wrong; other errors are Bedrock's.
_CLIENT_ERRORS = {"ValidationException", "AccessDeniedException", "ResourceNotFoundException"}


def recognise(sample: Sample) -> str:
    """Its schema type."""
    fits = any(each.get("schemaType") == _SCHEMA for each in sample.objects)
    return f"has schemaType {_SCHEMA}" if fits or "schemaType" in sample.keys else ""


def _row(options: Options, item: Item) -> Outcome:
    row = ROWS.decoded(item)
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
        max_output_tokens=limit_of(asked),
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
    return with_parts(told, answer)


FORMAT = row_format(
    name="bedrock_invocation",
    title="Amazon Bedrock invocation log",
    row=_row,
    recognise=recognise,
    convention=Convention.DISJOINT,
    key="id of the message where the body has one, else requestId",
    where="model invocation logging to S3 (….json.gz) or CloudWatch Logs",
    source="AWS's documentation; public parsers",
)
