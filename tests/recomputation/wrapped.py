"""Bodies inside of records of somebody's own, told apart by the names of their counts."""

from collections.abc import Iterator
from pathlib import Path

from tests.recomputation.files import Record, records
from tests.recomputation.providers import (
    anthropic_parts,
    anthropic_usage,
    converse_usage,
    gemini_usage,
    openai_usage,
)
from tests.recomputation.rows import Row, count


def wrapped_body(path: Path) -> Iterator[Row]:
    """One body in each record; what holds two says nothing."""
    for number, record in enumerate(records(path)):
        objects = [value for value in record.values() if isinstance(value, dict)]
        bodies = [value for value in objects if {"usage", "usageMetadata", "meta"} & value.keys()]
        if len(bodies) != 1:
            continue
        (body,) = bodies
        key = body.get("id") or body.get("request_id") or (path, number)
        model = body.get("model") or record.get("model") or ""
        yield Row(key=key, model=model, **counts_of(body))
        if body.get("id"):  # what is charged beside a request needs a name to hang on
            yield from anthropic_parts(body.get("usage") or {}, key, model, {})


def counts_of(body: Record) -> dict[str, int | None]:
    """The counts of a body of any provider."""
    usage = body.get("usage") or body.get("meta") or {}
    if "usageMetadata" in body:
        return gemini_usage(body["usageMetadata"])
    if "billed_units" in usage:
        billed = usage["billed_units"]
        names = ("input", "output")
        return {name: count(billed.get(f"{name}_tokens")) for name in names}
    if "inputTokens" in usage:
        return converse_usage(usage)
    if "input_tokens" in usage and (
        "cache_read_input_tokens" in usage or "cache_creation_input_tokens" in usage
    ):
        return anthropic_usage(usage)
    return openai_usage(usage)
