"""What to paste into a program so that it sends its usage here: the snippets of docs/sending.md.

A test holds that each stands there word for word, where every snippet is executed by another.
"""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

#: What stands for a key that nobody has made yet.
NO_KEY = "YOUR-KEY"
_CURL = """\
curl --fail-with-body "{origin}/api/v1/events?wait=true" \\
  -H "Authorization: Bearer {key}" \\
  -H "Content-Type: application/json" \\
  -d '{{"id": "{id}", "started_at": "{started_at}", "provider": "openai", "model": "gpt-4o",
       "input_tokens": 1200, "cache_read_input_tokens": 1000, "output_tokens": 80}}'
"""
_LITELLM = """\
litellm_settings:
  callbacks: ["tallybook"]

callback_settings:
  tallybook:
    callback_type: generic_api
    endpoint: {origin}/api/v1/events
    headers:
      Authorization: Bearer {key}
      Content-Type: application/json
    log_format: ndjson
    max_retries: 8
    retry_delay: 1
    timeout: 10
"""
_OTEL = """\
export OTEL_EXPORTER_OTLP_ENDPOINT="{origin}/otlp"
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20{key}"
export OTEL_EXPORTER_OTLP_COMPRESSION="gzip"
"""
_FOLDER = """\
./manage.py watch add ~/gateway-logs --only '*.jsonl*'
./manage.py watch list
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """One way to send. name: its id in the page; about: when to take it; text: to paste."""

    name: str
    title: Promise
    about: Promise
    text: str


def snippets(origin: str, key: str, now: datetime) -> tuple[Snippet, ...]:
    """Every way, with this server's address and a key in it. key: '' for one that is still to be made.

    now: when the event of the last snippet starts, in UTC; its id comes from that too, so that
    a first try falls into this month and a page opened later tells of another request.
    """
    filled = {
        "origin": origin,
        "key": quote(key or NO_KEY),
        "id": f"try-{now:%Y%m%d-%H%M%S}",
        "started_at": f"{now:%Y-%m-%dT%H:%M:%SZ}",
    }
    return (
        Snippet(
            name="litellm",
            title=_("LiteLLM's proxy"),
            about=_("In the proxy's configuration. It sends what it collected every five seconds."),
            text=_LITELLM.format(**filled),
        ),
        Snippet(
            name="otel",
            title=_("OpenTelemetry"),
            about=_("For any exporter that speaks OTLP over HTTP, agents among them; not gRPC."),
            text=_OTEL.format(**filled),
        ),
        Snippet(
            name="curl",
            title=_("Your own program"),
            about=_("One event. Any format that is read will do, one record a line."),
            text=_CURL.format(**filled),
        ),
        Snippet(
            name="folder",
            title=_("A folder of logs that grow"),
            about=_("On the machine where Tallybook runs; it needs no key."),
            text=_FOLDER,
        ),
    )
