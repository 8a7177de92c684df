"""A row of Portkey's export, and the bodies that may stand in it."""

import msgspec

from accounting.domain.tokens import TokenCounts, from_disjoint, from_inclusive
from ingest.formats import openai_usage
from ingest.formats.cells import inner_json
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, count
from ingest.formats.moments import Moment


class Row(msgspec.Struct):
    """One call. request and response are the bodies, where they were exported."""

    id: str
    trace_id: str | None = None
    created_at: Moment = None
    ai_org: str | None = None
    ai_model: str | None = None
    req_units: Count = None
    res_units: Count = None
    total_units: Count = None
    request_url: str | None = None
    cost: Exact = NOTHING
    cost_currency: str | None = None
    response_time: Count = None
    response_status_code: Count = None
    metadata: Exact = NOTHING
    request: Exact = NOTHING
    response: Exact = NOTHING


class Usage(openai_usage.Usage):
    """OpenAI's usage, and the two counts of Anthropic's that stand beside it."""

    cache_read_input_tokens: Count = None
    cache_creation_input_tokens: Count = None


class Choice(msgspec.Struct):
    """One of the answers."""

    finish_reason: str | None = None


class Response(msgspec.Struct):
    """An answer's body."""

    id: str | None = None
    model: str | None = None
    usage: Usage | None = None
    choices: list[Choice] | None = None
    stop_reason: str | None = None
    service_tier: str | None = None


class Request(msgspec.Struct):
    """A request's body."""

    max_tokens: Count = None
    max_completion_tokens: Count = None
    stream: bool | None = None


ROWS = Decoder(Row, {"req_units": 1, "res_units": 1, "cost": 1})
RESPONSES = Decoder(Response)
REQUESTS = Decoder(Request)


def counts_of(row: Row, usage: Usage) -> TokenCounts:
    """The body's counts where it was exported, else the row's units."""
    counts = openai_usage.counts_of(usage)
    given = counts.input_tokens
    if given is None and counts.output_tokens is None:
        return from_inclusive(
            input_tokens=count(row.req_units, "req_units"),
            output_tokens=count(row.res_units, "res_units"),
        )
    read = count(usage.cache_read_input_tokens, "usage.cache_read_input_tokens")
    write = count(usage.cache_creation_input_tokens, "usage.cache_creation_input_tokens")
    if read is None and write is None:
        return counts
    total = count(usage.total_tokens, "usage.total_tokens")
    is_native = usage.input_tokens is not None or total is None
    if is_native or total != (given or 0) + (counts.output_tokens or 0):
        return from_disjoint(
            uncached=given, cache_read=read, cache_write=write, output_tokens=counts.output_tokens
        )
    return from_inclusive(
        input_tokens=given,
        cache_read_input_tokens=read,
        cache_write_input_tokens=write,
        output_tokens=counts.output_tokens,
        reasoning_output_tokens=counts.reasoning_output_tokens,
    )


def body_of(value: Exact) -> bytes:
    """A body that is an object; b'{}' for any other."""
    found = inner_json(value)
    return found if found.startswith(b"{") else b"{}"
