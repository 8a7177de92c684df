"""An entry of Bedrock's invocation log."""

import msgspec

from ingest.formats import bedrock_usage
from ingest.formats.fields import NOTHING, Decoder, Exact
from ingest.formats.moments import Moment


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


ROWS = Decoder(Row, {"inputTokenCount": 2, "outputTokenCount": 2, "requestId": 1})


def limit_of(asked: dict[str, object]) -> int | None:
    """The longest answer asked for, in Converse's words or Anthropic's."""
    settings = asked.get("inferenceConfig")
    value = settings.get("maxTokens") if isinstance(settings, dict) else asked.get("max_tokens")
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
