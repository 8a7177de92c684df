"""Amp's threads: a JSON document with messages that carry usage and a ledger of what was charged."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

import msgspec

from accounting.domain.tokens import TokenCounts, from_disjoint
from accounting.domain.usage import USAGE_STATES, Identity, Use
from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    RejectedError,
    Sample,
    Scope,
    Skipped,
    State,
    Unit,
)
from ingest.formats.calls import counted, provider_named
from ingest.formats.fields import Count, Decoder, count, json_of, outcome_of, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.messages_within import each_of
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import state_of


class Usage(msgspec.Struct, rename="camel"):
    """A message's usage: the three input counts stand apart from each other."""

    model: str | None = None
    timestamp: Moment = None
    input_tokens: Count = None
    output_tokens: Count = None
    cache_creation_input_tokens: Count = None
    cache_read_input_tokens: Count = None
    total_input_tokens: Count = None


class Message(msgspec.Struct, rename="camel"):
    """One message; an assistant's has usage."""

    message_id: int | str | None = None
    usage: Usage | None = None


class Tokens(msgspec.Struct, rename="camel"):
    """A ledger event's tokens; the cached ones are often left out."""

    input: Count = None
    output: Count = None
    cache_creation_input_tokens: Count = None
    cache_read_input_tokens: Count = None


class Event(msgspec.Struct, rename="camel"):
    """One charge; it tells of the request whose answer is the message it leads to."""

    id: str | None = None
    timestamp: Moment = None
    model: str | None = None
    tokens: Tokens | None = None
    to_message_id: int | str | None = None


class Ledger(msgspec.Struct):
    """What was charged."""

    events: list[msgspec.Raw] | None = None


class Thread(msgspec.Struct, rename="camel"):
    """One thread."""

    id: str | None = None
    created: Moment = None
    messages: list[msgspec.Raw] | None = None
    usage_ledger: Ledger | None = None


_THREADS = Decoder(Thread, {"messages": 1, "usageLedger": 1})
_MESSAGES = Decoder(Message, {"inputTokens": 1, "outputTokens": 1, "usage": 1})
_EVENTS = Decoder(Event, {"input": 1, "output": 1})


def recognise(sample: Sample) -> str:
    """Messages beside a ledger of usage, or with messageId."""
    for each in sample.objects:
        messages = each.get("messages")
        if "usageLedger" in each and isinstance(messages, list):
            return "has messages and usageLedger"
        if isinstance(messages, list) and any(
            isinstance(one, dict) and "messageId" in one for one in messages
        ):
            return "has messages with messageId"
    fits = {"id", "messages"} <= sample.keys and '"messageId"' in sample.text
    return "begins like a thread with messageId" if fits else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each message and each charge that no message claims."""
    for item in items:
        if item.refusal is not None:
            yield item.refusal.at(item)
            continue
        try:
            thread = _THREADS.decoded(item)
        except RejectedError as error:
            yield error.at(item)
            continue
        yield from _thread(options, thread, item)


def _thread(options: Options, thread: Thread, item: Item) -> Iterator[Outcome]:
    messages = thread.messages or []
    events = (thread.usage_ledger.events if thread.usage_ledger else None) or []
    charges: list[tuple[Item, Event]] = []
    for place in each_of(replace(item, line=item.line + len(messages)), events) if events else ():
        try:
            charges.append((place, _EVENTS.of(json_of(place))))
        except RejectedError as error:
            yield error.at(place)
    for place in each_of(item, messages):
        yield outcome_of(place, partial(_message, options, thread, charges))
    for place, charge in charges:
        yield outcome_of(place, partial(_charge, options, thread, charge))


def _message(
    options: Options, thread: Thread, charges: list[tuple[Item, Event]], item: Item
) -> Outcome:
    message = _MESSAGES.of(json_of(item))
    charge = _claimed(charges, message)
    if message.usage is None:
        if charge is None:
            return Skipped(line=item.line)
        return _request(options, thread, item, charge, key=str(message.message_id))
    usage = message.usage
    told = Event(
        model=usage.model or (charge.model if charge else None),
        timestamp=(charge.timestamp if charge else None) or usage.timestamp,
    )
    counts = from_disjoint(
        uncached=count(usage.input_tokens, "usage.inputTokens"),
        cache_read=count(usage.cache_read_input_tokens, "usage.cacheReadInputTokens"),
        cache_write=count(usage.cache_creation_input_tokens, "usage.cacheCreationInputTokens"),
        output_tokens=count(usage.output_tokens, "usage.outputTokens"),
    )
    total = count(usage.total_input_tokens, "usage.totalInputTokens")
    doubts = () if total in {None, counts.input_tokens} else ("inconsistent_total",)
    return _request(options, thread, item, told, counts, doubts, key=str(message.message_id))


def _charge(options: Options, thread: Thread, charge: Event, item: Item) -> Outcome:
    """A charge that no message stands for."""
    if not charge.id:
        raise RejectedError("missing_field", "a charge without its id", field="id")
    return _request(options, thread, item, charge, key=f"charge {text(charge.id, 'id')}")


def _claimed(charges: list[tuple[Item, Event]], message: Message) -> Event | None:
    """The charge of a message's own request: of several that of its model, else the first."""
    if message.message_id is None:
        return None
    model = message.usage.model if message.usage else None
    own = [each for each in charges if each[1].to_message_id == message.message_id]
    own.sort(key=lambda each: each[1].model != model)
    if not own:
        return None
    charges.remove(own[0])
    return own[0][1]


def _request(  # noqa: PLR0913  one value for each part of a request
    options: Options,
    thread: Thread,
    item: Item,
    told: Event,
    counts: TokenCounts | None = None,
    doubts: tuple[str, ...] = (),
    *,
    key: str,
) -> Outcome:
    """One request. counts: None where only the ledger tells them, which knows less of caches."""
    tokens = told.tokens or Tokens()
    state = "reported"
    if counts is None:
        counts = from_disjoint(
            uncached=count(tokens.input, "tokens.input"),
            cache_read=count(tokens.cache_read_input_tokens, "tokens.cacheReadInputTokens"),
            cache_write=count(
                tokens.cache_creation_input_tokens, "tokens.cacheCreationInputTokens"
            ),
            output_tokens=count(tokens.output, "tokens.output"),
        )
        state = "reported" if counts.cache_read_input_tokens is not None else "partial"
    model = text(told.model, "model")
    thread_id = text(thread.id, "id")
    use = Use(
        counts=counts,
        usage_state=min(state, state_of(counts), key=USAGE_STATES.index),
        source=FORMAT.name,
        provider=provider_named(model, options.provider),
        request_model=model or options.model,
        response_model=model,
    )
    return counted(
        item,
        options,
        identity=Identity(fingerprint=fingerprint(thread_id, key)),
        use=use,
        started_at=moment(told.timestamp, "timestamp") or moment(thread.created, "created"),
        warnings=doubts,
        session_id=thread_id,
    )


FORMAT = Format(
    name="amp",
    title="Amp threads",
    unit=Unit.DOCUMENT,
    scope=Scope.RECORD,
    convention=Convention.DISJOINT,
    key="the thread's id and the message's; of a charge without a message the charge's id",
    where="~/.local/share/amp/threads/T-*.json",
    source="readers of ccusage and tokscale",
    recognise=recognise,
    read=read,
    extensions=(".json",),
)
