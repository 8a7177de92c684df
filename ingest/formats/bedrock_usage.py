"""What Amazon Bedrock says of usage: input without cached tokens, under three spellings.

Shared by Converse bodies, the metrics that end a stream, and the invocation log.
"""

import msgspec

from accounting.domain.tokens import TokenCounts, from_disjoint
from ingest.formats.base import RejectedError
from ingest.formats.fields import Count, count

#: Keys that must stand once in an object; counted as often as an ordinary record holds them.
WATCHED = {"inputTokens": 1, "outputTokens": 1, "inputTokenCount": 1, "outputTokenCount": 1}


class CacheDetail(msgspec.Struct, rename="camel"):
    """Cache writes by the time they are kept: '5m' or '1h'."""

    ttl: str | None = None
    input_tokens: Count = None


class Usage(msgspec.Struct, rename="camel"):
    """Converse's usage, a stream's invocation metrics, or the log's own counts.

    Converse writes each cache count twice, once under either name.
    """

    input_tokens: Count = None
    input_token_count: Count = None
    output_tokens: Count = None
    output_token_count: Count = None
    total_tokens: Count = None
    cache_read_input_tokens: Count = None
    cache_read_input_token_count: Count = None
    cache_write_input_tokens: Count = None
    cache_write_input_token_count: Count = None
    cache_details: list[CacheDetail] | None = None


class Metrics(Usage, rename="camel"):
    """What a stream of InvokeModel ends with; latencies are milliseconds."""

    invocation_latency: Count = None
    first_byte_latency: Count = None


def counts_of(usage: Usage, where: str = "usage") -> TokenCounts:
    """Inclusive counts. Cache counts that are left out were 0 where the total leaves no room."""
    uncached = _one(usage, where, "input_tokens", "input_token_count")
    output = _one(usage, where, "output_tokens", "output_token_count")
    read = _one(usage, where, "cache_read_input_tokens", "cache_read_input_token_count")
    write = _one(usage, where, "cache_write_input_tokens", "cache_write_input_token_count")
    hour = _kept_for(usage, "1h", where)
    total = count(usage.total_tokens, f"{where}.totalTokens")
    if uncached is not None and total == uncached + (output or 0):
        read, write = read or 0, write or 0
    return from_disjoint(
        uncached=uncached,
        cache_read=read,
        cache_write=write,
        cache_write_5m_input_tokens=None if write is None else max(write - hour, 0),
        cache_write_1h_input_tokens=None if write is None else hour,
        output_tokens=output,
    )


def laid_over(usage: Usage, later: Usage) -> Usage:
    """The first with every count that the second knows in its place."""
    known = {
        name: value
        for name in Usage.__struct_fields__
        if (value := getattr(later, name)) is not None
    }
    return msgspec.structs.replace(usage, **known)


def _one(usage: Usage, where: str, name: str, other: str) -> int | None:
    first = count(getattr(usage, name), f"{where}.{name}")
    second = count(getattr(usage, other), f"{where}.{other}")
    if first is not None and second is not None and first != second:
        reason = f"{name} = {first} and {other} = {second} contradict each other"
        raise RejectedError("bad_count", reason, field=f"{where}.{name}", value=first)
    return second if first is None else first


def _kept_for(usage: Usage, ttl: str, where: str) -> int:
    details = usage.cache_details or ()
    return sum(
        count(each.input_tokens, f"{where}.cacheDetails") or 0
        for each in details
        if each.ttl == ttl
    )
