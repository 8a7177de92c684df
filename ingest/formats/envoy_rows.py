"""A line of Envoy AI Gateway's access log, and how it writes nothing."""

import msgspec

from accounting.domain.tokens import TokenCounts, from_inclusive
from ingest.formats.fields import Count, Decoder, count, text
from ingest.formats.moments import Moment

_USAGE = "gen_ai.usage."


class Row(
    msgspec.Struct,
    rename={
        "request_id": "x-request-id",
        "session_id": "session.id",
        "request_model": "gen_ai.request.model",
        "model_override": "gen_ai.request.model_override",
        "response_model": "gen_ai.response.model",
        "backend": "gen_ai.provider.name",
        "input": f"{_USAGE}input_tokens",
        "cached": f"{_USAGE}cached_input_tokens",
        "cache_read": f"{_USAGE}cache_read.input_tokens",
        "cache_creation": f"{_USAGE}cache_creation_input_tokens",
        "output": f"{_USAGE}output_tokens",
        "reasoning": f"{_USAGE}reasoning_tokens",
        "mcp_method": "mcp.method.name",
        "path": "x-envoy-origin-path",
    },
):
    """One request. The operator chooses the fields; '-' stands for nothing."""

    start_time: Moment = None
    duration: Count = None
    response_code: Count = None
    response_code_details: str | None = None
    response_flags: str | None = None
    request_id: str | None = None
    session_id: str | None = None
    request_model: str | None = None
    model_override: str | None = None
    response_model: str | None = None
    backend: str | None = None
    input: Count = None
    cached: Count = None
    cache_read: Count = None
    cache_creation: Count = None
    output: Count = None
    reasoning: Count = None
    mcp_method: str | None = None
    path: str | None = None


ROWS = Decoder(Row, {f"{_USAGE}input_tokens": 1, f"{_USAGE}output_tokens": 1})


def counts_of(row: Row) -> TokenCounts:
    """Inclusive counts; where reads are logged and writes are not, nothing was written."""
    cached = known(row.cached)
    read = count(known(row.cache_read) if cached is None else cached, "cached_input_tokens")
    write = count(known(row.cache_creation), "cache_creation_input_tokens")
    return from_inclusive(
        input_tokens=count(known(row.input), "input_tokens"),
        cache_read_input_tokens=read,
        cache_write_input_tokens=0 if write is None and read is not None else write,
        output_tokens=count(known(row.output), "output_tokens"),
        reasoning_output_tokens=count(known(row.reasoning), "reasoning_tokens"),
    )


def known[Value](value: Value) -> Value | None:
    """The value; None where the line writes nothing."""
    return None if value in ("-", "") else value


def name_in(value: str | None, field: str) -> str:
    """A name; '' where the line writes nothing."""
    return text(known(value), field)
