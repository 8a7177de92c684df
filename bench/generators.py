"""Logs for measurements, the same ones for the same seed: lines as a gateway writes them.

A line is a row of LiteLLM's spend logs: 25 fields, some 600 bytes, of models that the built-in list prices.
Sessions are local in time and have fifty requests each; half of the requests read from a cache.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

START = datetime(2026, 9, 1, tzinfo=UTC)
REQUESTS_PER_SESSION = 50
PER_WRITE = 10_000
MODELS = (
    ("anthropic", "claude-sonnet-4-5-20250929"),
    ("openai", "gpt-5-mini"),
    ("openai", "gpt-5.4"),
    ("gemini", "gemini-2.5-pro"),
    ("deepseek", "deepseek-chat"),
    ("bedrock", "us.anthropic.claude-haiku-4-5-20251001-v1:0"),
)
_LINE = (
    b'{"request_id":"chatcmpl-%016x","call_type":"acompletion","api_key":"%08x","spend":%d.%06d,'
    b'"total_tokens":%d,"prompt_tokens":%d,"completion_tokens":%d,"startTime":"%sZ","endTime":"%sZ",'
    b'"completionStartTime":"%sZ","model":"%s","model_id":"%02x","model_group":"%s",'
    b'"custom_llm_provider":"%s","api_base":"","user":"user-%d","metadata":'
    b'{"user_api_key_alias":"key-%d","usage_object":{"prompt_tokens_details":{"cached_tokens":%d}}},'
    b'"cache_hit":"False","cache_key":"","request_tags":["env:%s"],"team_id":"team-%d",'
    b'"end_user":"","requester_ip_address":null,"session_id":"s-%016x","status":"success"}\n'
)


def gateway_lines(
    events: int,
    *,
    seed: int = 1,
    start: datetime = START,
    span: timedelta = timedelta(days=1),
) -> Iterator[bytes]:
    """So many lines, spread evenly over a span from start on, in the order of time."""
    chance = Random(seed)
    step = span / events
    texts = [(provider.encode(), model.encode()) for provider, model in MODELS]
    session = user = 0
    for number in range(events):
        if number % REQUESTS_PER_SESSION == 0:
            session, user = chance.getrandbits(64), chance.randrange(200)
        bits = chance.getrandbits(64)
        started = start + step * number
        provider, model = texts[bits % len(texts)]
        prompt, completion = 500 + (bits >> 8) % 30_000, 20 + (bits >> 24) % 1_500
        cached = prompt * 3 // 4 if bits >> 40 & 1 else 0
        took = 200 + (bits >> 42) % 20_000
        answered = started + timedelta(milliseconds=took // 8)
        ended = started + timedelta(milliseconds=took)
        yield _LINE % (
            bits, user * 2_654_435_761 % 2**32, 0, prompt * 3 + completion, prompt + completion,
            prompt, completion, _written(started), _written(ended), _written(answered), model,
            bits % len(texts), model, provider, user, user % 40, cached,
            b"prod" if user % 3 else b"staging", user % 12, session,
        )  # fmt: skip


def write_gateway_log(path: Path, events: int, **choices: object) -> int:
    """Write such a log; its size in bytes. choices: those of `gateway_lines`."""
    held: list[bytes] = []
    with path.open("wb") as log:
        for line in gateway_lines(events, **choices):  # type: ignore[arg-type]
            held.append(line)
            if len(held) == PER_WRITE:
                log.write(b"".join(held))
                held.clear()
        log.write(b"".join(held))
    return path.stat().st_size


def _written(moment: datetime) -> bytes:
    return (
        moment.isoformat()[:23].encode() if moment.microsecond else moment.isoformat()[:19].encode()
    )
