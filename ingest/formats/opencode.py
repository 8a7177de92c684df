"""OpenCode's messages: a JSON file per message, or rows of the message table of its database."""

from accounting.domain.naming import provider_id
from accounting.domain.usage import Identity, Use
from ingest.formats.base import Convention, Item, Options, Outcome, Sample, Skipped
from ingest.formats.calls import counted, http_status, used
from ingest.formats.fields import cost, text
from ingest.formats.moments import elapsed_ms, moment
from ingest.formats.openai_usage import state_of
from ingest.formats.opencode_messages import counts_of, fingerprint_of, message_in
from ingest.formats.tables import row_format


def recognise(sample: Sample) -> str:
    """Messages or their parts with sessionID, or rows that hold messages."""
    for each in sample.objects:
        if "sessionID" in each and {"role", "messageID"} & each.keys():
            return "has sessionID beside role or messageID"
        data = each.get("data")
        if "session_id" in each and isinstance(data, str | dict) and _names_role(data):
            return "has rows of a message table"
    return "begins like a message" if {"sessionID", "modelID"} <= sample.keys else ""


def _names_role(data: str | dict[str, object]) -> bool:
    return "role" in data if isinstance(data, dict) else '"role"' in data


def _message(options: Options, item: Item) -> Outcome:
    message = message_in(item)
    # A message that is still being written reports zeros; it is counted when it is complete.
    has_ended = message.time.completed is not None or message.error is not None
    if message.role != "assistant" or message.tokens is None or not has_ended:
        return Skipped(line=item.line)
    error = text(message.error.name, "error.name") if message.error else ""
    failed = bool(message.error) and error != "MessageAbortedError"
    counts = used(counts_of(message.tokens), failed=bool(message.error))
    model = text(message.model, "modelID")
    started_at = moment(message.time.created, "time.created")
    ended_at = moment(message.time.completed, "time.completed")
    details = message.error.data if message.error else None
    status = http_status(details.status_code, "error.data.statusCode") if details else None
    amount = cost(message.cost, "cost")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider=provider_id(text(message.provider, "providerID")),
        request_model=model or options.model,
        response_model="" if failed else model,
        status="error" if failed else "cancelled" if message.error else "ok",
        http_status=status,
        error_type=error,
        error_origin="" if not failed else "upstream" if status else "client",
        finish_reason=text(message.finish, "finish", 80),
        duration_ms=elapsed_ms(started_at, ended_at),
        reported_cost=amount,
        reported_currency="" if amount is None else "USD",
    )
    return counted(
        item,
        options,
        identity=Identity(fingerprint=fingerprint_of(message)),
        use=use,
        started_at=started_at,
        session_id=text(message.session_id, "sessionID"),
        turn_id=text(message.parent_id, "parentID"),
        agent=text(message.agent or message.mode, "agent"),
        working_folder=text(message.path.cwd, "path.cwd", 1000) if message.path else "",
    )


FORMAT = row_format(
    name="opencode",
    title="OpenCode messages",
    row=_message,
    recognise=recognise,
    convention=Convention.DISJOINT,
    key="when the message was begun and completed, its provider, model and tokens: forks copy"
    " messages under new ids",
    where="~/.local/share/opencode/storage/message/<session>/msg_*.json, or"
    " `sqlite3 -json opencode.db 'select * from message'`",
    source="sst/opencode: message schema; fixtures of tokscale",
)
