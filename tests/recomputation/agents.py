"""Logs of coding agents."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.recomputation.files import Record, at, decoded, inner, records, table
from tests.recomputation.providers import anthropic_parts, anthropic_usage
from tests.recomputation.rows import BadRecordError, Row, added, count


def claude_code(path: Path) -> Iterator[Row]:
    """Transcripts: a line for each block of a message, all with one message id."""
    for number, line in enumerate(path.read_text("utf-8").splitlines()):
        record = decoded(line)
        message = at(record, "message")
        if at(record, "type") not in ("assistant", None) or not isinstance(record, dict):
            continue
        place = {
            "at": record.get("timestamp", ""),
            "session": record.get("sessionId") or "",
            "is_aside": bool(record.get("isSidechain")),
            "provider": "anthropic",
        }
        usage = at(message, "usage")
        if usage is None and "inputTokens" in record:
            yield Row(key=(path, number), **place, **_flat(record))
        if not isinstance(usage, dict) or message.get("model") == "<synthetic>":
            continue
        key = message.get("id") or (path, number)
        model = message.get("model") or ""
        yield Row(key=key, model=model, **place, **anthropic_usage(usage))
        yield from anthropic_parts(usage, key, model, place)


def _flat(record: Record) -> dict[str, int | None]:
    read = count(record.get("cacheReadInputTokens"))
    write = count(record.get("cacheCreationInputTokens"))
    return {
        "input": added(count(record["inputTokens"]), read, write),
        "read": read,
        "write": write,
        "output": count(record.get("outputTokens")),
    }


FIELDS = ("input", "cached_input", "cache_write_input", "output", "reasoning_output")


def codex(paths: list[Path]) -> Iterator[Row]:
    """Rollouts of threads: what a running total grew by, forks without what they copied.

    Of a thread kept twice the active copy counts.
    """
    threads: dict[str, Thread] = {}
    for path in sorted(paths, key=lambda path: "archived_sessions" not in path.parts):
        thread = Thread(path)
        threads[thread.name] = thread  # active ones come last
    copies: dict[str, list[Any]] = {name: thread.told for name, thread in threads.items()}
    for name, thread in threads.items():
        others = [copies[parent] for parent in thread.parents if parent in copies]
        skipped = max((_shared(thread.told, other) for other in others), default=0)
        yield from thread.rows(skipped, name)


class Thread:
    """One rollout file."""

    def __init__(self, path: Path) -> None:
        self.name, self.parents, self.model, self.provider = path.stem, [], "", ""
        self.session = ""
        self.events: list[tuple[str, str, Any, Any]] = []
        self.exact: list[Row] = []
        is_first = True
        for record in records(path):
            payload = record.get("payload") or {}
            if record.get("type") == "session_meta":
                if is_first:
                    self.session, is_first = payload.get("id") or "", False
                    self.name = self.session or self.name
                    self.provider = payload.get("model_provider") or ""
                    parents = (payload.get("forked_from_id"), payload.get("parent_thread_id"))
                    self.parents = [parent for parent in parents if parent]
                elif payload.get("id"):
                    self.parents.append(payload["id"])
            elif record.get("type") == "turn_context":
                self.model = payload.get("model") or self.model
            elif record.get("type") == "token_usage_record":
                self._exact(record, payload)
            elif payload.get("type") == "token_count" and isinstance(payload.get("info"), dict):
                info = payload["info"]
                last = _counts(info.get("last_token_usage"))
                total = _counts(info.get("total_token_usage"))
                model = info.get("model") or self.model
                self.events.append((record["timestamp"], model, last, total))

    def _exact(self, record: Record, payload: Record) -> None:
        counts = _counts(payload.get("usage"))
        self.exact.append(
            self._row(payload["response_id"], record["timestamp"], self.model, counts)
        )

    def _row(self, key: Any, moment: str, model: str, counts: Any) -> Row:
        return Row(
            key=key, at=moment, session=self.session, provider=self.provider, model=model,
            input=counts[0], read=min(counts[1] or 0, counts[0] or 0), write=counts[2],
            output=counts[3], reasoning=counts[4],
        )  # fmt: skip

    @property
    def told(self) -> list[Any]:
        """What its rows say, without when."""
        return [(last, total) for _, _, last, total in self.events]

    def rows(self, skipped: int, name: str) -> Iterator[Row]:
        """Its own requests, behind so many copied rows."""
        if self.exact:
            yield from self.exact
            return
        before = None
        for place, (moment, model, last, total) in enumerate(self.events):
            if total is None:
                continue
            if place >= skipped and total != before:
                yield self._row((name, place), moment, model, _grown(before, total, last))
            before = total


def _grown(before: Any, total: Any, last: Any) -> Any:
    if before is None:
        return last if last and any(last) else total
    if any((new or 0) < (old or 0) for new, old in zip(total, before, strict=True)):
        return last
    return tuple(
        None if new is None else new - (old or 0) for new, old in zip(total, before, strict=True)
    )


def _counts(usage: Any) -> tuple[int | None, ...] | None:
    if not isinstance(usage, dict):
        return None
    return tuple(count(usage.get(f"{name}_tokens")) for name in FIELDS)


def _shared(one: list[Any], other: list[Any]) -> int:
    length = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        length += 1
    return length


def codex_exec(path: Path) -> Iterator[Row]:
    """What a run printed: the usage of each whole turn."""
    session = ""
    for number, record in enumerate(records(path)):
        session = record.get("thread_id") or session
        if record.get("type") == "turn.completed":
            counts = _counts(record.get("usage"))
            assert counts is not None
            yield Row(
                key=(path, number), session=session, input=counts[0], read=counts[1], write=counts[2],
                output=counts[3], reasoning=counts[4],
            )  # fmt: skip
        if record.get("type") == "turn.failed":
            yield Row(key=(path, number), session=session, status="error")


def gemini_cli(path: Path) -> Iterator[Row]:
    """Chats: a message is rewritten under its id, and rewound ones were still billed."""
    session = ""
    found: list[Record] = []
    for record in records(path):
        session = record.get("sessionId") or session
        messages = record.get("messages") or at(record, "$set", "messages") or [record]
        found += messages
    for message in found:
        tokens = message.get("tokens")
        if message.get("type") != "gemini":
            continue
        if tokens is None:
            yield Row(key=(session, message["id"]), session=session, status="pending")
            continue
        try:
            told = {name: count(value) for name, value in tokens.items()}
        except BadRecordError:
            continue
        answered = added(told.get("output"), told.get("thoughts"))
        sent = added(told.get("input"), told.get("tool"))
        yield Row(
            key=(session, message["id"]), at=message["timestamp"], session=session,
            model=message.get("model") or "", provider="google", input=sent,
            read=told.get("cached"), write=0, output=answered, reasoning=told.get("thoughts"),
        )  # fmt: skip


def opencode(path: Path) -> Iterator[Row]:
    """Messages as files, or rows of the database with the message inside; forks copy them."""
    for record in records(path):
        message = {**inner(record.get("data")), **record} if "data" in record else record
        tokens = message.get("tokens")
        if message.get("role") != "assistant" or not isinstance(tokens, dict):
            continue
        cache = tokens.get("cache") or {}
        read, write = count(cache.get("read")), count(cache.get("write"))
        reasoning = count(tokens.get("reasoning"))
        time = message["time"]
        sent, answered = count(tokens.get("input")), count(tokens.get("output"))
        model = message.get("modelID") or ""
        yield Row(
            # A fork's copies have other ids, and all the rest the same.
            key=(time.get("created"), time.get("completed"), model, sent, answered, read),
            at=time.get("created"), model=model, provider=message.get("providerID") or "",
            session=message.get("sessionID") or message.get("session_id") or "",
            status=_ended(message),
            input=added(sent, read, write), read=read, write=write,
            output=added(answered, reasoning), reasoning=reasoning,
        )  # fmt: skip


def _ended(message: Record) -> str:
    if not at(message, "time", "completed"):
        return "pending"
    failure = at(message, "error", "name")
    return "error" if failure and failure != "MessageAbortedError" else "ok"


def cline(path: Path, *, is_roo: bool = False) -> Iterator[Row]:
    """A task's messages; what is told of a request stands as JSON in its text.

    Older versions told it when the request finished. Of Roo's the protocol says whether the input holds
    the cache; where it is silent, only a cache greater than the input does.
    """
    session = path.parent.name
    for message in records(path):
        if message.get("say") not in ("api_req_started", "api_req_finished"):
            continue
        told = inner(message.get("text"))
        failed = told.get("cancelReason") == "streaming_failed"
        try:
            sent = count(told.get("tokensIn"))
            read, write = count(told.get("cacheReads")), count(told.get("cacheWrites"))
        except BadRecordError:
            continue
        if sent is None and not failed:
            continue
        cached = added(read, write) or 0
        if is_roo and "apiProtocol" not in told and sent and 0 < cached <= sent:
            continue  # it may mean two things
        if told.get("apiProtocol") != "openai":
            sent = added(sent, read, write)
        yield Row(
            key=(session, message["ts"]), at=message["ts"], session=session,
            model=at(message, "modelInfo", "modelId") or "", status="error" if failed else "ok",
            input=sent, read=read, write=write, output=count(told.get("tokensOut")),
        )  # fmt: skip


def amp(path: Path) -> Iterator[Row]:
    """Threads: the ledger tells of each request, the message it led to tells of the cache."""
    (thread,) = records(path)
    messages = {each["messageId"]: each.get("usage") for each in thread["messages"]}
    told = set()
    for event in at(thread, "usageLedger", "events") or []:
        tokens, to = event["tokens"], event.get("toMessageId")
        usage = messages.get(to)
        if event.get("operationType") == "inference" and usage:
            told.add(to)
            yield _of_amp(thread, event["id"], event["timestamp"], usage)
            continue
        read = count(tokens.get("cacheReadInputTokens"))
        write = count(tokens.get("cacheCreationInputTokens"))
        yield Row(
            key=event["id"], at=event["timestamp"], session=thread["id"], model=event["model"],
            input=added(count(tokens.get("input")), read, write), read=read, write=write,
            output=count(tokens.get("output")),
        )  # fmt: skip
    for number, usage in messages.items():
        if usage and number not in told:
            moment = usage.get("timestamp", "")
            yield _of_amp(thread, (thread["id"], number), moment, usage)


def _of_amp(thread: Record, key: Any, moment: str, usage: Record) -> Row:
    read = count(usage.get("cacheReadInputTokens"))
    write = count(usage.get("cacheCreationInputTokens"))
    return Row(
        key=key, at=moment, session=thread["id"], model=usage["model"],
        input=added(count(usage["inputTokens"]), read, write), read=read, write=write,
        output=count(usage["outputTokens"]),
    )  # fmt: skip


def cursor_csv(path: Path) -> Iterator[Row]:
    """The dashboard's table: four columns that do not overlap, and their total."""
    seen: dict[Any, int] = {}
    for row in table(path):
        same = tuple(row.values())
        seen[same] = seen.get(same, 0) + 1
        write, uncached, read, output, total = (
            count(row[name])
            for name in (
                "Input (w/ Cache Write)", "Input (w/o Cache Write)", "Cache Read",
                "Output Tokens", "Total Tokens",
            )
        )  # fmt: skip
        kind = row.get("Kind", "")
        if added(write, uncached, read, output) != total:
            if added(uncached, read, output) != total:
                continue
            write = 0
        yield Row(
            key=(same, seen[same]), at=row["Date"], session=row.get("Cloud Agent ID", ""),
            model=row["Model"], status="error" if kind.startswith("Errored") else "ok",
            input=added(write, uncached, read), read=read, write=write, output=output,
        )  # fmt: skip


def copilot_sdk(path: Path) -> Iterator[Row]:
    """Events of a session; the one at its end sums the others up."""
    session = ""
    for record in records(path):
        data = record.get("data") or {}
        session = data.get("sessionId") or session
        if record.get("type") != "assistant.usage":
            continue
        yield Row(
            key=record["id"], at=record["timestamp"], session=session,
            model=data.get("model") or "",
            input=count(data.get("inputTokens")), read=count(data.get("cacheReadTokens")),
            write=count(data.get("cacheWriteTokens")), output=count(data.get("outputTokens")),
            reasoning=count(data.get("reasoningTokens")),
        )  # fmt: skip
