"""How long a server says it worked: llama-server's `timings`, and Groq's times in seconds."""

from dataclasses import replace
from typing import Any

import msgspec

from accounting.domain.tokens import TokenCounts, from_inclusive
from ingest.formats.fields import Count, count, known_sum, milliseconds
from ingest.formats.vendor_usage import Usage


class Timings(msgspec.Struct):
    """llama-server's timings: prompt_n leaves out the cache_n tokens it found in its cache."""

    cache_n: Count = None
    prompt_n: Count = None
    prompt_ms: Count = None
    predicted_n: Count = None
    predicted_ms: Count = None
    predicted_per_token_ms: Count = None


def counts_with(timings: Timings, counts: TokenCounts | None) -> TokenCounts:
    """The reported counts, or the timings' own where there are none.

    Older servers report as prompt only what they had to work on; the cached tokens are put back.
    """
    cached = count(timings.cache_n, "timings.cache_n")
    worked = count(timings.prompt_n, "timings.prompt_n")
    if counts is None:
        return from_inclusive(
            input_tokens=None if worked is None else worked + (cached or 0),
            cache_read_input_tokens=cached,
            cache_write_input_tokens=None if cached is None else 0,
            output_tokens=count(timings.predicted_n, "timings.predicted_n"),
        )
    if cached is None or counts.input_tokens is None:
        return counts
    prompt = counts.input_tokens + (cached if counts.input_tokens == worked else 0)
    return replace(
        counts,
        input_tokens=prompt,
        cache_read_input_tokens=min(cached, prompt),
        cache_write_input_tokens=counts.cache_write_input_tokens or 0,
    )


def of_timings(timings: Timings | None) -> dict[str, Any]:
    """The durations of Use that llama-server measured."""
    if timings is None:
        return {}
    prefill = milliseconds(timings.prompt_ms, "timings.prompt_ms")
    answer = milliseconds(timings.predicted_ms, "timings.predicted_ms")
    each = milliseconds(timings.predicted_per_token_ms, "timings.predicted_per_token_ms")
    return {
        "prefill_ms": prefill,
        "tpot_ms": each,
        "duration_ms": known_sum(prefill, answer),
    }


def of_usage(usage: Usage | None, output_tokens: int | None) -> dict[str, Any]:
    """The durations of Use that stand as seconds in the usage."""
    if usage is None or usage.total_time is None:
        return {}
    answer = _ms(usage.completion_time, "completion_time")
    return {
        "queue_ms": _ms(usage.queue_time, "queue_time"),
        "prefill_ms": _ms(usage.prompt_time, "prompt_time"),
        "tpot_ms": answer / output_tokens if answer is not None and output_tokens else None,
        "duration_ms": _ms(usage.total_time, "total_time"),
    }


def _ms(seconds: float | None, field: str) -> float | None:
    return None if seconds is None else milliseconds(round(seconds * 1000, 6), f"usage.{field}")
