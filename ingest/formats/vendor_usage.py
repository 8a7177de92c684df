"""What OpenAI-compatible vendors add to `usage`: their own names for cached tokens, costs, timings.

Nothing is taken from a vendor's name: each of these fields exists at one vendor only and means there
what is said beside it. Where a vendor's placement of a count is disputed, the total decides.
"""

from dataclasses import replace
from decimal import Decimal

import msgspec

from accounting.domain.tokens import TokenCounts, checked
from ingest.formats import openai_usage
from ingest.formats.anthropic_usage import CacheCreation, ServerTools
from ingest.formats.base import RejectedError
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, cost, count

_TICK = Decimal("1e-10")


class CachedDetails(msgspec.Struct):
    """What the cached tokens were."""

    audio_tokens: Count = None


class InputDetails(openai_usage.InputDetails):
    """OpenAI's subsets, DashScope's cache writes, and what the Realtime API read from its cache."""

    cache_creation_input_tokens: Count = None
    cache_creation: CacheCreation | None = None
    cached_tokens_details: CachedDetails | None = None


class Costs(msgspec.Struct):
    """Perplexity's cost of a request, in USD."""

    total_cost: Exact = NOTHING


class Usage(openai_usage.Usage):
    """A usage object of any vendor behind one of OpenAI's interfaces; times are seconds."""

    prompt_tokens_details: InputDetails | None = None
    input_tokens_details: InputDetails | None = None
    prompt_token_details: InputDetails | None = None  # Mistral
    input_token_details: InputDetails | None = None  # Realtime, transcriptions
    output_token_details: openai_usage.OutputDetails | None = None
    prompt_cache_hit_tokens: Count = None  # DeepSeek
    cached_tokens: Count = None  # Moonshot
    num_cached_tokens: Count = None  # Mistral
    reasoning_tokens: Count = None  # Perplexity, SGLang
    citation_tokens: Count = None  # Perplexity
    num_search_queries: Count = None  # Perplexity
    num_sources_used: Count = None  # xAI
    server_tool_use: ServerTools | None = None  # OpenRouter
    cost: Exact = NOTHING  # OpenRouter: USD; Perplexity: an object
    cost_details: Exact = NOTHING
    is_byok: bool | None = None
    cost_in_usd_ticks: Count = None  # xAI: 10^-10 USD
    queue_time: float | None = None  # Groq, as the three after it
    prompt_time: float | None = None
    completion_time: float | None = None
    total_time: float | None = None


_COSTS = Decoder(Costs)


def counts_of(usage: Usage, *, hides_reasoning: bool = False) -> TokenCounts:
    """Inclusive counts; RejectedError where two names of one count disagree.

    hides_reasoning: the vendor leaves reasoning out of every count but the total (Gemini's
    compatible interface does).
    """
    given = (
        usage.prompt_tokens_details
        or usage.input_tokens_details
        or usage.prompt_token_details
        or usage.input_token_details
        or InputDetails()
    )
    made = (
        usage.completion_tokens_details
        or usage.output_tokens_details
        or usage.output_token_details
        or openai_usage.OutputDetails()
    )
    read = _agreed(
        given.cached_tokens,
        usage.prompt_cache_hit_tokens,
        usage.cached_tokens,
        usage.num_cached_tokens,
    )
    write = given.cache_write_tokens
    write = given.cache_creation_tokens if write is None else write
    write = given.cache_creation_input_tokens if write is None else write
    plain = openai_usage.Usage(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.total_tokens,
        prompt_tokens_details=openai_usage.InputDetails(
            cached_tokens=read,
            cache_write_tokens=write,
            audio_tokens=given.audio_tokens,
            image_tokens=given.image_tokens,
        ),
        completion_tokens_details=made,
    )
    _settle(plain, usage, read, hides_reasoning=hides_reasoning)
    return _with_vendors_own(openai_usage.counts_of(plain), usage, given)


def warnings_of(usage: Usage, counts: TokenCounts) -> tuple[str, ...]:
    """inconsistent_total where the reported total is not input + output; Perplexity's never is."""
    return () if usage.citation_tokens is not None else openai_usage.warnings_of(usage, counts)


def cost_of(usage: Usage) -> Decimal | None:
    """What the vendor says it charged, in USD. A bare `cost` counts only beside OpenRouter's details."""
    ticks = count(usage.cost_in_usd_ticks, "usage.cost_in_usd_ticks")
    if ticks is not None:
        return ticks * _TICK
    if bytes(usage.cost).startswith(b"{"):
        return cost(_COSTS.of(bytes(usage.cost)).total_cost, "usage.cost.total_cost")
    if usage.is_byok is None and not bytes(usage.cost_details):
        return None
    return cost(usage.cost, "usage.cost")


def _settle(
    plain: openai_usage.Usage, usage: Usage, read: int | None, *, hides_reasoning: bool
) -> None:
    """Makes the totals inclusive where only the reported total tells that they are not."""
    prompt = count(usage.prompt_tokens, "usage.prompt_tokens")
    output = count(usage.completion_tokens, "usage.completion_tokens")
    total = count(usage.total_tokens, "usage.total_tokens")
    details = plain.completion_tokens_details or openai_usage.OutputDetails()
    if prompt is None:
        return
    if output is None:
        # Embeddings make no output, and their total says so.
        plain.completion_tokens = 0 if total == prompt and usage.output_tokens is None else None
        return
    reasoning = count(details.reasoning_tokens, "usage.reasoning_tokens")
    if read and read > prompt and total == prompt + read + output + (reasoning or 0):
        prompt += read
        plain.prompt_tokens = prompt
    if hides_reasoning and not reasoning and total is not None and total > prompt + output:
        plain.completion_tokens_details = msgspec.structs.replace(
            details, reasoning_tokens=total - prompt - output
        )


def _with_vendors_own(counts: TokenCounts, usage: Usage, given: InputDetails) -> TokenCounts:
    split = given.cache_creation or CacheCreation()
    cached = given.cached_tokens_details or CachedDetails()
    searches = usage.server_tool_use.web_search_requests if usage.server_tool_use else None
    if searches is None:
        searches = usage.num_search_queries
    sources = count(usage.num_sources_used, "usage.num_sources_used")
    told = replace(
        counts,
        cache_write_5m_input_tokens=count(split.ephemeral_5m_input_tokens, "ephemeral_5m"),
        cache_write_1h_input_tokens=count(split.ephemeral_1h_input_tokens, "ephemeral_1h"),
        cache_read_audio_tokens=count(cached.audio_tokens, "cached_tokens_details.audio_tokens"),
        web_search_requests=count(searches, "usage.web_search_requests"),
        other_units=(("sources_used", sources),) if sources else (),
    )
    return checked(_with_research(told, usage))


def _with_research(counts: TokenCounts, usage: Usage) -> TokenCounts:
    """Reasoning beside the totals is inside the output, unless it cannot be.

    Perplexity bills what its research read (citations) and thought by itself, beside the completion;
    others name here again what is inside it.
    """
    reasoning = count(usage.reasoning_tokens, "usage.reasoning_tokens")
    citations = count(usage.citation_tokens, "usage.citation_tokens")
    output = counts.output_tokens
    if output is None or (reasoning is None and citations is None):
        return counts
    if counts.reasoning_output_tokens is not None:
        reasoning = None  # already told, and settled, with the details
    total = count(usage.total_tokens, "usage.total_tokens")
    apart = (
        citations is not None
        or (reasoning or 0) > output
        or (bool(reasoning) and total == (counts.input_tokens or 0) + output + (reasoning or 0))
    )
    extra = (reasoning or 0) + (citations or 0) if apart else 0
    if reasoning is None:
        reasoning = counts.reasoning_output_tokens
    return replace(
        counts,
        output_tokens=output + extra,
        reasoning_output_tokens=reasoning,
        output_citation_tokens=citations,
    )


def _agreed(*written: Count) -> int | None:
    """The one count that several names give; RejectedError where they differ."""
    found = {n for each in written if (n := count(each, "usage.cached_tokens")) is not None}
    if len(found) > 1:
        reason = f"cached tokens = {' and '.join(map(str, sorted(found)))} contradict each other"
        raise RejectedError("bad_count", reason, field="usage.cached_tokens")
    return found.pop() if found else None
