"""A chat completion, text completion or embedding of any server behind OpenAI's interface."""

import re
from collections.abc import Mapping
from dataclasses import replace

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.tokens import TokenCounts
from accounting.domain.usage import NOTHING_REPORTED, Use
from ingest.formats.base import Item, Options, Outcome, Skipped
from ingest.formats.body_reading import Family, Reading, usage_of
from ingest.formats.calls import counted
from ingest.formats.fields import Decoder, text
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import WATCHED, Error, maker_of, state_of
from ingest.formats.server_times import Timings, counts_with, of_timings, of_usage
from ingest.formats.vendor_usage import Usage, cost_of, counts_of, warnings_of

#: How a completion names itself.
OBJECTS = {"chat.completion", "chat.completion.chunk", "text_completion"}
_OPERATIONS = {"list": "embeddings", "text_completion": "text_completion"}
#: Models that only their makers serve under these names.
_MAKERS = (
    (re.compile(r"grok-"), "x-ai"),
    (re.compile(r"sonar\b"), "perplexity"),
    (re.compile(r"deepseek-(?:chat|reasoner)$"), "deepseek"),
    (re.compile(r"(?:kimi-k2-\d{4}-preview|kimi-latest|moonshot-v1-)"), "moonshotai"),
    (re.compile(r"(?:mistral|magistral|ministral|codestral|pixtral)-[a-z0-9-]*latest$"), "mistral"),
    (re.compile(r"gemini-"), "google"),
)
#: They report cached tokens where there were any, and else leave them out.
_SILENT_ABOUT_NONE = {"mistral", "perplexity"}
_GEMINI = re.compile(r"(?:.*/)?gemini-")


class Choice(msgspec.Struct):
    """One of the answers. usage: Moonshot's streams put it here."""

    finish_reason: str | None = None
    usage: Usage | None = None


class Groq(msgspec.Struct):
    """Groq's own block, which repeats the usage; in a stream it may be the only one."""

    usage: Usage | None = None


class Completion(msgspec.Struct):
    """A completion, or a chunk of one: usage stands in the last chunk that has any."""

    id: str | None = None
    object: str | None = None
    created: Moment = None
    model: str | None = None
    service_tier: str | None = None
    choices: list[Choice] | None = None
    usage: Usage | None = None
    user: str | None = None
    error: Error | str | None = None
    provider: str | dict[str, msgspec.Raw] | None = None
    x_groq: Groq | None = None
    prompt_filter_results: msgspec.Raw | None = None  # Azure
    timings: Timings | None = None

    @property
    def reported(self) -> Usage | None:
        """The usage, wherever the vendor puts it."""
        found = self.usage or (self.x_groq.usage if self.x_groq else None)
        return found or next((each.usage for each in self.choices or () if each.usage), None)


DECODER = Decoder(Completion, WATCHED)


def fits(body: Mapping[str, object]) -> bool:
    """An answer that names itself, counts prompt tokens, or has llama-server's timings."""
    timings = body.get("timings")
    return (
        str(body.get("object")) in OBJECTS
        or "prompt_tokens" in usage_of(body)
        or (isinstance(timings, dict) and "predicted_n" in timings)
    )


def read(item: Item, reading: Reading) -> Outcome:
    """One completion."""
    body = DECODER.decoded(item)
    silent = body.usage is None and body.choices is None and body.timings is None
    if silent and body.error is None:
        return Skipped(line=item.line)
    return outcome(body, item, reading)


def counts_in(body: Completion) -> TokenCounts:
    """What the body reports."""
    usage = body.reported
    if usage is None:
        return NOTHING_REPORTED if body.timings is None else counts_with(body.timings, None)
    counts = counts_of(usage, hides_reasoning=bool(_GEMINI.match(body.model or "")))
    return counts if body.timings is None else counts_with(body.timings, counts)


def outcome(
    body: Completion, item: Item, reading: Reading, *, is_stream: bool = False, ended: bool = True
) -> Outcome:
    """One completion, put together. ended: False for a stream that was cut off."""
    options, usage, counts = reading.options, body.reported, counts_in(body)
    model = text(body.model, "model")
    provider = provider_of(body, model, options)
    if provider in _SILENT_ABOUT_NONE and usage and counts.cache_read_input_tokens is None:
        counts = replace(counts, cache_read_input_tokens=0, cache_write_input_tokens=0)
    finish_reason = next((each.finish_reason for each in body.choices or ()), None)
    amount = cost_of(usage) if usage else None
    failed = body.error is not None
    error = body.error.name if isinstance(body.error, Error) else ""
    response_id = text(body.id, "id")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=reading.source,
        provider=provider,
        request_model=model or options.model,
        response_model=model,
        operation=_OPERATIONS.get(body.object or "", "chat"),
        service_tier=text(body.service_tier, "service_tier", 40),
        status="error" if failed else "ok" if ended else "cancelled",
        error_type=text(error, "error.type"),
        error_origin="upstream" if failed else "",
        finish_reason=text(finish_reason, "finish_reason", 80),
        is_stream=is_stream,
        reported_cost=amount,
        reported_currency="" if amount is None else "USD",
        **of_timings(body.timings) | of_usage(usage, counts.output_tokens),
    )
    return counted(
        item,
        options,
        identity=reading.identity(item, response_id=response_id),
        use=use,
        started_at=moment(body.created, "created"),
        warnings=warnings_of(usage, counts) if usage and not body.timings else (),
        time_quality="second",
        user_id=text(body.user, "user"),
    )


def provider_of(body: Completion, model: str, options: Options) -> str:
    """Who served it: the vendor whose own fields it has, the import's, or its model's only server."""
    usage = body.reported or Usage()
    if usage.is_byok is not None or bytes(usage.cost_details):
        served_by = body.provider if isinstance(body.provider, str) else ""
        return provider_id(served_by) if usage.is_byok and served_by else "openrouter"
    marks = {
        "groq": body.x_groq,
        "deepseek": usage.prompt_cache_hit_tokens,
        "x-ai": usage.cost_in_usd_ticks,
        "azure": body.prompt_filter_results,
    }
    marked = next((vendor for vendor, mark in marks.items() if mark is not None), "")
    own = next((maker for name, maker in _MAKERS if name.match(model)), "")
    return marked or provider_id(options.provider) or maker_of(model) or own


FAMILY = Family(name="chat completion", fits=fits, read=read)
