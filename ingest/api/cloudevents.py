"""CloudEvents over HTTP: structured, in batches, and in binary mode, where headers name the event."""

from urllib.parse import unquote

from django.http import HttpRequest

from accounting.api.problems import ProblemError
from ingest.services.cloudevents import FORMAT, EventsLook
from ingest.services.receive import Sender

TYPES = ("application/cloudevents+json", "application/cloudevents-batch+json")
#: In binary mode the body is the data itself.
DATA_TYPE = "application/json"
_ATTRIBUTES = ("specversion", "id", "source", "type", "time")
_NEEDED = ("specversion", "id", "source", "type")


def brings_events(request: HttpRequest) -> bool:
    """Whether a push says that it is CloudEvents."""
    return request.content_type in TYPES or any(f"Ce-{n}" in request.headers for n in _NEEDED)


def look_for_events(request: HttpRequest, sender: Sender) -> EventsLook:
    """How the push is looked at; ProblemError where its headers or parameters contradict that."""
    if sender.wanted_format not in {"", FORMAT}:
        detail = "the data of events is told by itself; leave the format out"
        raise ProblemError("bad_option", detail, parameter="format")
    if request.content_type in TYPES:
        return EventsLook(sender=sender, attributes={})
    if request.content_type not in {"", DATA_TYPE}:
        detail = f"an event whose headers name it holds {DATA_TYPE}"
        raise ProblemError("unsupported_media_type", detail, Accept=DATA_TYPE)
    given = {name: unquote(request.headers.get(f"Ce-{name}", "")) for name in _ATTRIBUTES}
    for name in _NEEDED:
        if not given[name]:
            raise ProblemError("bad_request", f"the header ce-{name} is missing or empty")
    return EventsLook(sender=sender, attributes={n: value for n, value in given.items() if value})
