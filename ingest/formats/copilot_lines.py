"""A line of GitHub Copilot's OpenTelemetry file: a span or a log record, and the counts it tells."""

import msgspec

from accounting.domain.tokens import TokenCounts, from_inclusive
from ingest.formats.fields import Decoder
from ingest.formats.otlp_values import Attributes, Instant

_USAGE = "gen_ai.usage."


class Status(msgspec.Struct):
    """How a span ended: 0 unset, 1 ok, 2 error."""

    code: int | None = None


class Line(msgspec.Struct, rename="camel"):
    """One span or one log record."""

    type: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    start_time: Instant = None
    end_time: Instant = None
    hr_time: Instant = None
    attributes: dict[str, msgspec.Raw] | None = None
    status: Status | None = None


LINES = Decoder(
    Line,
    {
        "traceId": 1,
        "attributes": 1,
        "gen_ai.usage.input_tokens": 1,
        "gen_ai.usage.output_tokens": 1,
        "gen_ai.response.id": 1,
    },
)


def counts_of(told: Attributes) -> TokenCounts:
    """The counts among a line's attributes, which are inclusive already."""
    return from_inclusive(
        input_tokens=told.count(_USAGE + "input_tokens"),
        cache_read_input_tokens=told.count(_USAGE + "cache_read.input_tokens"),
        cache_write_input_tokens=told.count(
            _USAGE + "cache_write.input_tokens", _USAGE + "cache_creation.input_tokens"
        ),
        output_tokens=told.count(_USAGE + "output_tokens"),
        reasoning_output_tokens=told.count(_USAGE + "reasoning.output_tokens"),
    )
