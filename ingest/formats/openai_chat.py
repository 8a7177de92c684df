"""OpenAI's chat completions, of OpenAI or a compatible server: bodies and streams of chunks."""

from ingest.formats import chat_bodies
from ingest.formats.answers import answer_format
from ingest.formats.base import Convention, Sample
from ingest.formats.chat_bodies import OBJECTS
from ingest.formats.chat_streams import STREAM


def recognise(sample: Sample) -> str:
    """The object says so, or prompt tokens stand beside choices, embeddings or timings."""
    for each in sample.objects:
        usage, timings = each.get("usage"), each.get("timings")
        if str(each.get("object")) in OBJECTS:
            return f"has {each['object']} objects"
        if isinstance(usage, dict) and "prompt_tokens" in usage and {"choices", "data"} & set(each):
            return "has answers with usage.prompt_tokens"
        if isinstance(timings, dict) and "predicted_n" in timings:
            return "has llama-server's timings"
    return "begins like a chat completion" if {"choices", "created"} <= sample.keys else ""


FORMAT = answer_format(
    name="openai_chat",
    title="OpenAI chat completions",
    body=chat_bodies.read,
    stream=STREAM,
    recognise=recognise,
    convention=Convention.INCLUSIVE,
    key="id of the completion; without it the text and which of its equals in the file it is",
    where="bodies or streams of POST /v1/chat/completions, /v1/completions or /v1/embeddings of OpenAI"
    " or any compatible server, kept by your own program or proxy",
    source="openai-openapi; the vendors' documentation; answers of compatible servers in their tests",
)
