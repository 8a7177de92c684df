"""The events of GitHub Copilot's SDK, as far as they tell of requests."""

import msgspec

from accounting.domain.tokens import TokenCounts, from_inclusive
from ingest.formats.fields import Count, Decoder, count
from ingest.formats.moments import Moment


class Context(msgspec.Struct):
    """Where a session was begun."""

    cwd: str | None = None


class Data(msgspec.Struct, rename="camel"):
    """What an event tells. cost is a multiplier of premium requests and no money."""

    session_id: str | None = None
    context: Context | None = None
    model: str | None = None
    input_tokens: Count = None
    output_tokens: Count = None
    cache_read_tokens: Count = None
    cache_write_tokens: Count = None
    reasoning_tokens: Count = None
    duration: Count = None
    time_to_first_token_ms: Count = None
    ttft_ms: Count = None
    inter_token_latency_ms: Count = None
    initiator: str | None = None
    api_call_id: str | None = None
    provider_call_id: str | None = None
    service_request_id: str | None = None


class Event(msgspec.Struct):
    """One event; other types than assistant.usage carry no usage of their own."""

    id: str | None = None
    moment: Moment = msgspec.field(default=None, name="timestamp")
    type: str | None = None
    data: msgspec.Raw = msgspec.Raw(b"null")


EVENTS = Decoder(Event, {"data": 1})
_DATA = Decoder(Data, {"inputTokens": 1, "outputTokens": 1, "model": 1})


def data_of(event: Event) -> Data:
    """What the event tells."""
    return _DATA.of(bytes(event.data))


def counts_of(data: Data) -> TokenCounts:
    """The counts of an assistant.usage event, which are inclusive already."""
    return from_inclusive(
        input_tokens=count(data.input_tokens, "data.inputTokens"),
        cache_read_input_tokens=count(data.cache_read_tokens, "data.cacheReadTokens"),
        cache_write_input_tokens=count(data.cache_write_tokens, "data.cacheWriteTokens"),
        output_tokens=count(data.output_tokens, "data.outputTokens"),
        reasoning_output_tokens=count(data.reasoning_tokens, "data.reasoningTokens"),
    )
