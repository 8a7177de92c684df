"""A row of Helicone's, and what its total says of its counts."""

import msgspec

from accounting.domain.tokens import TokenCounts, from_disjoint, from_inclusive
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, count
from ingest.formats.moments import Moment


class Row(msgspec.Struct):
    """One request. request_properties is an object, in a CSV its JSON."""

    request_id: str
    request_created_at: Moment = None
    response_status: int | str | None = None
    request_model: str | None = None
    response_model: str | None = None
    model_override: str | None = None
    model: str | None = None
    provider: str | None = None
    request_user_id: str | None = None
    helicone_user: str | None = None
    delay_ms: Count = None
    time_to_first_token: Count = None
    prompt_tokens: Count = None
    completion_tokens: Count = None
    total_tokens: Count = None
    prompt_cache_write_tokens: Count = None
    prompt_cache_read_tokens: Count = None
    prompt_audio_tokens: Count = None
    completion_audio_tokens: Count = None
    cost_usd: Exact = msgspec.field(default=NOTHING, name="costUSD")
    cost: Exact = NOTHING
    request_properties: Exact = NOTHING
    cache_reference_id: str | None = None


ROWS = Decoder(Row, {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 1})


def counts_of(row: Row, provider: str) -> tuple[TokenCounts, tuple[str, ...]]:
    """The counts and doubts: the total decides whether the prompt includes cached tokens.

    Where it decides nothing, Anthropic's prompt does not, the others' does.
    """
    prompt = count(row.prompt_tokens, "prompt_tokens")
    output = count(row.completion_tokens, "completion_tokens")
    read = count(row.prompt_cache_read_tokens, "prompt_cache_read_tokens")
    write = count(row.prompt_cache_write_tokens, "prompt_cache_write_tokens")
    total = count(row.total_tokens, "total_tokens")
    cached = (read or 0) + (write or 0)
    plain = (prompt or 0) + (output or 0)
    others = {
        "output_tokens": output,
        "input_audio_tokens": count(row.prompt_audio_tokens, "prompt_audio_tokens"),
        "output_audio_tokens": count(row.completion_audio_tokens, "completion_audio_tokens"),
    }
    doubts = () if total in {None, plain, plain + cached} else ("inconsistent_total",)
    apart = provider == "anthropic" if total is None or doubts else total != plain
    if apart or cached > (prompt or 0):
        counts = from_disjoint(uncached=prompt, cache_read=read, cache_write=write, **others)
        return counts, doubts
    counts = from_inclusive(
        input_tokens=prompt, cache_read_input_tokens=read, cache_write_input_tokens=write, **others
    )
    return counts, doubts
