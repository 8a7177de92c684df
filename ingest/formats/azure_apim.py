"""Azure API Management's LLM log (ApiManagementGatewayLlmLog) as exported from Log Analytics."""

import msgspec

from accounting.domain.tokens import from_inclusive
from accounting.domain.usage import Identity, Use
from ingest.formats.base import Convention, Item, Options, Outcome, Skipped, Unit
from ingest.formats.calls import counted
from ingest.formats.cells import Flag, flag, row_json
from ingest.formats.fields import Count, Decoder, count, text
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import state_of
from ingest.formats.tables import row_format

_KEYS = {"CorrelationId", "DeploymentName", "PromptTokens"}


class Row(msgspec.Struct, rename="pascal"):
    """One row. Long bodies go on in further rows, which name no deployment and count nothing."""

    time_generated: Moment = None
    correlation_id: str | None = None
    operation_name: str | None = None
    deployment_name: str | None = None
    model_name: str | None = None
    prompt_tokens: Count = None
    completion_tokens: Count = None
    is_stream_completion: Flag = None
    region: str | None = None


_DECODER = Decoder(Row, {"PromptTokens": 1, "CompletionTokens": 1})


def _row(options: Options, item: Item) -> Outcome:
    row = _DECODER.of(row_json(item))
    deployment = text(row.deployment_name, "DeploymentName")
    if not deployment:
        return Skipped(line=item.line)
    counts = from_inclusive(
        input_tokens=count(row.prompt_tokens, "PromptTokens"),
        output_tokens=count(row.completion_tokens, "CompletionTokens"),
    )
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider="azure",
        request_model=deployment,
        response_model=text(row.model_name, "ModelName"),
        operation="embeddings" if "embed" in (row.operation_name or "").lower() else "chat",
        is_stream=flag(row.is_stream_completion),
    )
    region = text(row.region, "Region")
    return counted(
        item,
        options,
        identity=Identity(gateway_request_id=text(row.correlation_id, "CorrelationId")),
        use=use,
        started_at=moment(row.time_generated, "TimeGenerated", naive_is_utc=True),
        # The region is the gateway's, not the model's, so it is no condition of its price.
        tags=(("gateway_region", region),) if region else (),
    )


FORMAT = row_format(
    name="azure_apim",
    title="Azure API Management LLM log",
    row=_row,
    columns=({"CorrelationId", "DeploymentName", "PromptTokens"},),
    units=(Unit.JSON, Unit.CSV),
    convention=Convention.INCLUSIVE,
    key="CorrelationId of the row that names a deployment",
    where="the table ApiManagementGatewayLlmLog in Log Analytics; its times are UTC",
    source="Microsoft's documentation of the table",
)
