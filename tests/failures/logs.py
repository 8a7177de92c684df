"""The smallest logs that show a failure, written in formats of ours, and what they come to."""

import json
from dataclasses import dataclass

from accounting.domain.money import from_picos, plain
from ingest.formats.cutting import Layout
from tests.failures.prices import BOOK
from tests.formats.reading import Books, told

AT = "2026-04-07T08:00:00Z"
EPOCH = 1775548800


@dataclass(frozen=True, kw_only=True)
class Case:
    """One failure: its log and its right value. cost is in USD; what is not given is not compared.

    totals: requests, input, cache read, cache write, output.
    """

    id: str
    format: str
    log: list | bytes
    cost: str | None = None
    totals: tuple = ()


def books(case: Case) -> Books:
    return read(case.format, case.log)


def read(name, log) -> Books:
    return Books.of(outcomes(name, log))


def outcomes(name, log):
    """Lines are given as objects; a stream as bytes."""
    if isinstance(log, bytes):
        return told(name, log, layout=Layout.SSE)
    return told(name, "".join(json.dumps(line) + "\n" for line in log).encode())


def ratings(of: Books, book=BOOK) -> list:
    """The rating of each request part."""
    return [
        book.rate(r.use, r.place.started_at, requests=int(r.identity.part == 0))
        for r in of.events.values()
    ]


def dollars(of: Books, book=BOOK) -> str | None:
    """What the books cost; None where a part has no price."""
    costs = [rating.cost for rating in ratings(of, book)]
    return None if None in costs else plain(from_picos(sum(costs)))


def totals(of: Books) -> tuple:
    names = ("input", "cache_read_input", "cache_write_input", "output")
    return (of.requests, *(of.total(f"{name}_tokens") for name in names))


def check(case: Case) -> None:
    """The right value of a case, cost and totals."""
    found = books(case)
    if case.totals:
        assert totals(found) == case.totals
    assert dollars(found) == case.cost


def chat(model="flint", *, id="chatcmpl-1", prompt=0, output=0, **details):
    """A chat completion; details: other subsets of the prompt, and `total`, `reasoning`."""
    usage = {"prompt_tokens": prompt, "completion_tokens": output}
    if "total" in details:
        usage["total_tokens"] = details.pop("total")
    if "reasoning" in details:
        usage["completion_tokens_details"] = {"reasoning_tokens": details.pop("reasoning")}
    if details:
        usage["prompt_tokens_details"] = details
    return {
        "id": id,
        "object": "chat.completion",
        "created": EPOCH,
        "model": model,
        "choices": [{"index": 0, "finish_reason": "stop"}],
        "usage": usage,
    }


def message(model="opal", *, id="msg_1", fresh=0, output=0, **usage):
    """An Anthropic message: the three input counts stand apart."""
    return {
        "id": id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "stop_reason": "end_turn",
        "usage": {"input_tokens": fresh, "output_tokens": output, **usage},
    }


def event(model="opal", **fields):
    """An event in Tallybook's own format, inclusive."""
    return {"started_at": AT, "provider": "testing", "model": model, **fields}


def transcript(message_body, *, session="s-1", uuid="u1", at=AT):
    """A line of Claude Code."""
    return {
        "type": "assistant",
        "sessionId": session,
        "uuid": uuid,
        "timestamp": at,
        "message": message_body,
    }


def rollout(*rows, model="flint", thread="thread-1"):
    """A Codex rollout of (total, last) token usages, each a dict or None."""
    lines = [
        {"timestamp": AT, "type": "session_meta", "payload": {"id": thread}},
        {"timestamp": AT, "type": "turn_context", "payload": {"model": model}},
    ]
    for second, (total, last) in enumerate(rows):
        info = {"total_token_usage": total, "last_token_usage": last}
        payload = {"type": "token_count", "info": info}
        at = f"2026-04-07T08:00:{second:02d}Z"
        lines.append({"timestamp": at, "type": "event_msg", "payload": payload})
    return lines


def payload(model="flint", *, id="call-1", prompt=0, output=0, **more):
    """A LiteLLM call."""
    return {
        "id": id,
        "call_type": "acompletion",
        "status": "success",
        "custom_llm_provider": "testing",
        "response_cost": 0,
        "startTime": EPOCH,
        "endTime": EPOCH + 2,
        "model": model,
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        **more,
    }


def attempt(model, *, id, status="success", prompt=None, output=None, **more):
    """A row of Bifrost's logs."""
    usage = None
    if prompt is not None:
        usage = {"prompt_tokens": prompt, "completion_tokens": output}
    return {
        "id": id,
        "timestamp": AT,
        "object": "chat.completion",
        "provider": "testing",
        "model": model,
        "selected_key_id": "k1",
        "token_usage": usage,
        "status": status,
        **more,
    }


def span(span_id, *, operation="chat", parent="", response="", prompt=1000, output=100):
    """A span of Copilot's OpenTelemetry file."""
    attributes = {
        "gen_ai.operation.name": operation,
        "gen_ai.response.model": "flint",
        "gen_ai.usage.input_tokens": prompt,
        "gen_ai.usage.output_tokens": output,
    }
    if response:
        attributes["gen_ai.response.id"] = response
    return {
        "type": "span",
        "name": operation,
        "traceId": "t1",
        "spanId": span_id,
        "parentSpanId": parent,
        "startTime": [EPOCH, 0],
        "endTime": [EPOCH + 1, 0],
        "attributes": attributes,
    }


def stream(*chunks):
    """Server-sent events of a chat completion."""
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks)


def chunk(model="flint", *, id="chatcmpl-1", usage=None, finish=None, choices=True):
    """One chunk; usage None: the server sends none."""
    found = {
        "id": id,
        "object": "chat.completion.chunk",
        "created": EPOCH,
        "model": model,
        "choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": finish}],
    }
    if not choices:
        found["choices"] = []
    if usage is not None:
        found["usage"] = usage
    return found
