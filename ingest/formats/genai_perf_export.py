"""The parts of a GenAI-Perf export that are read, and the JSON texts inside them."""

import msgspec

from ingest.formats.fields import Decoder
from ingest.formats.nesting import is_too_deep
from ingest.formats.openai_usage import Error, Usage
from ingest.formats.streams import chunks

_LONGEST = 200


class Inputs(msgspec.Struct):
    """What was asked. payload: the request's JSON as text."""

    payload: str | None = None
    session_id: str | None = None


class Output(msgspec.Struct):
    """One response: an event of a stream, or a whole body."""

    response: str | None = None


class Request(msgspec.Struct):
    """One request; moments in epoch nanoseconds."""

    timestamp: int
    request_inputs: Inputs | None = None
    response_timestamps: list[int] = []
    response_outputs: list[Output] = []


class Setting(msgspec.Struct):
    """What was varied: concurrency or request rate."""

    mode: str | None = None
    value: float | int | str | None = None


class Experiment(msgspec.Struct):
    """Requests under one setting."""

    experiment: Setting | None = None
    requests: list[msgspec.Raw] = []


class Export(msgspec.Struct):
    """A whole export."""

    experiments: list[Experiment]
    endpoint: str | None = None
    service_kind: str | None = None


class Payload(msgspec.Struct):
    """The part of a request's JSON that is read."""

    model: str | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None


class Chunk(msgspec.Struct):
    """The part of a response that is read."""

    id: str | None = None
    usage: Usage | None = None
    error: Error | str | None = None

    @property
    def cause(self) -> str | None:
        """What is kept of why it failed: a name, or a text."""
        return self.error.name if isinstance(self.error, Error) else self.error


EXPORTS = Decoder(Export)
REQUESTS = Decoder(Request)
_PAYLOAD = msgspec.json.Decoder(Payload)
_CHUNK = msgspec.json.Decoder(Chunk)


def settings_of(export: Export, varied: Setting) -> tuple[tuple[str, str], ...]:
    """What a run was set to, by name."""
    told = (
        ("endpoint", export.endpoint),
        ("service_kind", export.service_kind),
        (varied.mode, None if varied.value is None else str(varied.value)),
    )
    return tuple((name[:_LONGEST], value[:_LONGEST]) for name, value in told if name and value)


def payload_of(written: str | None) -> Payload:
    """What a request's JSON asked for; nothing where it is none."""
    if is_too_deep((written or "").encode("utf-8", "replace")):
        return Payload()
    try:
        return _PAYLOAD.decode(written or "{}")
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return Payload()


def answer_of(outputs: list[Output]) -> Chunk:
    """A response's id, last complete usage and error, from all of its events."""
    answer = Chunk()
    for output in outputs:
        for _, body in chunks((output.response or "").encode("utf-8", "replace")):
            if is_too_deep(body):
                continue
            try:
                chunk = _CHUNK.decode(body)
            except (msgspec.MsgspecError, RecursionError):
                continue
            answer.id = answer.id or chunk.id
            answer.usage = chunk.usage or answer.usage
            answer.error = chunk.error or answer.error
    return answer
