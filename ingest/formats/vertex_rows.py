"""A row of Vertex AI's log, and the answers that may stand in it."""

import msgspec

from ingest.formats import anthropic_usage, gemini_usage
from ingest.formats.cells import inner_json, inner_list
from ingest.formats.fields import NOTHING, Count, Decoder, Exact
from ingest.formats.moments import Moment


class Row(msgspec.Struct):
    """One request. full_response is an answer of Gemini's or Anthropic's, or a list of chunks."""

    endpoint: str | None = None
    logging_time: Moment = None
    request_id: str | int | None = None
    model: str | None = None
    api_method: str | None = None
    full_request: Exact = NOTHING
    full_response: Exact = NOTHING
    metadata: Exact = NOTHING


class Message(msgspec.Struct):
    """An answer of Anthropic's."""

    id: str | None = None
    stop_reason: str | None = None
    usage: anthropic_usage.Usage | None = None


class Metadata(msgspec.Struct):
    """How long it took, in milliseconds."""

    request_latency: Count = None


ROWS = Decoder(Row)
_BODIES = Decoder(gemini_usage.Body, gemini_usage.WATCHED)


_MESSAGES = Decoder(Message)
METADATA = Decoder(Metadata)


def body_of(response: Exact) -> gemini_usage.Body:
    """The answer; the chunks of a stream as one."""
    found = inner_json(response)
    if found.startswith(b"["):
        return gemini_usage.joined(_BODIES.of(chunk) for chunk in inner_list(response))
    return _BODIES.of(found if found.startswith(b"{") else b"{}")


def message_of(response: Exact) -> Message:
    """The same answer read as Anthropic's."""
    found = inner_json(response)
    return _MESSAGES.of(found if found.startswith(b"{") else b"{}")


def limit_of(asked: dict[str, object]) -> int | None:
    """The longest answer asked for, in Gemini's words or Anthropic's."""
    settings = object_in(asked.get("generationConfig"))
    value = settings.get("maxOutputTokens", asked.get("max_tokens"))
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def object_in(value: object) -> dict[str, object]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}
