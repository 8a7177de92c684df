"""What Anthropic's `usage` object means: disjoint input buckets, and parts billed by themselves.

Shared by every log that carries it: message bodies and streams, Claude Code transcripts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.tokens import TokenCounts, from_disjoint
from accounting.domain.usage import NOTHING_REPORTED, Identity, Place, UsageRecord, Use
from ingest.formats.fields import Count, count, text
from ingest.formats.openai_usage import state_of

#: Keys that must stand once in an object; counted as often as an ordinary record holds them.
WATCHED = {"input_tokens": 1, "output_tokens": 1, "cache_read_input_tokens": 1, "model": 1}


class CacheCreation(msgspec.Struct):
    """How cache writes divide by the time they are kept."""

    ephemeral_5m_input_tokens: Count = None
    ephemeral_1h_input_tokens: Count = None


class OutputDetails(msgspec.Struct):
    """What part of the output was thinking."""

    thinking_tokens: Count = None


class ServerTools(msgspec.Struct):
    """Calls of tools that run at the provider and are billed by the call."""

    web_search_requests: Count = None
    web_fetch_requests: Count = None


class Counts(msgspec.Struct):
    """The counts that the usage and each of its iterations have."""

    input_tokens: Count = None
    cache_creation_input_tokens: Count = None
    cache_read_input_tokens: Count = None
    cache_creation: CacheCreation | None = None
    output_tokens: Count = None
    output_tokens_details: OutputDetails | None = None


class Iteration(Counts):
    """One model call inside a request."""

    type: str | None = None
    model: str | None = None


class Usage(Counts):
    """A message's usage. Its own counts are those of the answer, not of advisors or compaction."""

    server_tool_use: ServerTools | None = None
    service_tier: str | None = None
    inference_geo: str | None = None
    speed: str | None = None
    iterations: list[Iteration] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A model call billed beside the answer. model: '' where it is the answer's own."""

    kind: str
    model: str
    counts: TokenCounts


def records(
    usage: Usage | None, *, identity: Identity, use: Use, place: Place, restamps: bool
) -> tuple[UsageRecord, ...]:
    """The request as part 0 and each call billed beside it as a part of its own.

    use: everything about the request that its usage object does not say.
    """
    counts = NOTHING_REPORTED if usage is None else counts_of(usage)
    usage = usage or Usage()
    tier = text(usage.service_tier, "usage.service_tier", 40)
    region = text(usage.inference_geo, "usage.inference_geo", 80)
    told = replace(
        use,
        counts=counts,
        usage_state=state_of(counts),
        service_tier=tier,
        processing="batch" if tier == "batch" else use.processing,
        speed=text(usage.speed, "usage.speed", 40),
        region="" if region == "not_available" else region,
    )
    main = UsageRecord(identity=identity, use=told, place=place, restamps=restamps)
    parts = (
        UsageRecord(
            identity=replace(identity, part=number),
            use=replace(
                told,
                counts=part.counts,
                usage_state=state_of(part.counts),
                operation=part.kind,
                request_model=part.model or told.request_model,
                response_model=part.model or told.response_model,
                reported_cost=None,
                reported_currency="",
            ),
            place=place,
            restamps=restamps,
        )
        for number, part in enumerate(parts_of(usage), 1)
    )
    return (main, *parts)


def provider_of(message_id: str, model: str, asked: str) -> str:
    """Who served a message: its id says so for the clouds, its model for Anthropic itself.

    asked: the import's provider, for other vendors' models behind the same interface.
    """
    if message_id.startswith("msg_bdrk_"):
        return "aws"
    if message_id.startswith("msg_vrtx_"):
        return "google"
    if model.startswith("claude"):
        return "anthropic"
    return provider_id(asked)


def counts_of(usage: Counts, where: str = "usage") -> TokenCounts:
    """Inclusive counts of one usage object.

    A bucket that is left out held nothing, once any input is reported: the buckets are disjoint.
    Cache writes the split does not explain went to the 5-minute cache, which is the default.
    """
    uncached = count(usage.input_tokens, f"{where}.input_tokens")
    read = count(usage.cache_read_input_tokens, f"{where}.cache_read_input_tokens")
    write = count(usage.cache_creation_input_tokens, f"{where}.cache_creation_input_tokens")
    split = usage.cache_creation or CacheCreation()
    five = count(split.ephemeral_5m_input_tokens, f"{where}.ephemeral_5m_input_tokens") or 0
    hour = count(split.ephemeral_1h_input_tokens, f"{where}.ephemeral_1h_input_tokens") or 0
    if uncached is not None:
        read = read or 0
        write = five + hour if write is None else write
    details = usage.output_tokens_details or OutputDetails()
    return from_disjoint(
        uncached=uncached,
        cache_read=read,
        cache_write=write,
        cache_write_5m_input_tokens=None if write is None else max(five, write - hour),
        cache_write_1h_input_tokens=None if write is None else hour,
        output_tokens=count(usage.output_tokens, f"{where}.output_tokens"),
        reasoning_output_tokens=count(details.thinking_tokens, f"{where}.thinking_tokens"),
        web_search_requests=_web_searches(usage, where),
    )


def parts_of(usage: Usage) -> Iterator[Part]:
    """The calls the usage's own counts leave out, in the order they were made.

    Advisor and compaction calls; and, where a fallback model answered, the calls it stood in for:
    the usage's own counts are the served answer, which is the last of the fallbacks.
    """
    iterations = usage.iterations or []
    fallbacks = [n for n, each in enumerate(iterations) if each.type == "fallback_message"]
    for number, each in enumerate(iterations):
        declined = bool(fallbacks) and number != fallbacks[-1]
        if each.type in {"advisor_message", "compaction"} or (
            declined and each.type in {"message", "fallback_message"}
        ):
            where = f"usage.iterations[{number}]"
            yield Part(
                kind="fallback" if declined and each.type == "message" else each.type or "",
                model=text(each.model, f"{where}.model"),
                counts=counts_of(each, where),
            )


def _web_searches(usage: Counts, where: str) -> int | None:
    if not isinstance(usage, Usage) or usage.server_tool_use is None:
        return None
    return count(usage.server_tool_use.web_search_requests, f"{where}.web_search_requests")
