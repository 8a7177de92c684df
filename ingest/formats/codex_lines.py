"""The lines of a Codex rollout, as far as they tell of tokens."""

import msgspec

from ingest.formats.codex_threads import Usage
from ingest.formats.moments import Moment


class Line(msgspec.Struct):
    """One line; most of them carry no usage."""

    type: str | None = None
    moment: Moment = msgspec.field(default=None, name="timestamp")
    payload: msgspec.Raw = msgspec.Raw(b"null")


class Meta(msgspec.Struct):
    """A thread's own description, and in the files of forks those of its ancestors."""

    id: str | None = None
    cwd: str | None = None
    model_provider: str | None = None
    forked_from_id: str | None = None
    parent_thread_id: str | None = None


class Turn(msgspec.Struct):
    """What the following requests are made with."""

    model: str | None = None
    turn_id: str | None = None
    cwd: str | None = None


class Info(msgspec.Struct):
    """The totals so far and those of the last response."""

    total: Usage | None = msgspec.field(default=None, name="total_token_usage")
    last: Usage | None = msgspec.field(default=None, name="last_token_usage")
    model: str | None = None


class TokenCount(msgspec.Struct):
    """An event; only token_count has info."""

    type: str | None = None
    info: Info | None = None


class Response(msgspec.Struct):
    """A token_usage_record: one response, by its id."""

    response_id: str | None = None
    thread_id: str | None = None
    turn_id: str | None = None
    usage: Usage | None = None
