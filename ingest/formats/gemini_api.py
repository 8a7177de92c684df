"""Gemini's answers, of the Gemini API or Vertex AI: bodies, and streams of chunks."""

from collections.abc import Iterator
from functools import partial

from ingest.formats import gemini_bodies
from ingest.formats.answers import Stream, answer_format
from ingest.formats.base import Convention, Sample
from ingest.formats.gemini_usage import Body, joined

_BESIDE = {"candidates", "modelVersion", "promptFeedback"}


def recognise(sample: Sample) -> str:
    """Usage in Gemini's words beside the candidates or the model's version."""
    for each in sample.objects:
        if isinstance(each.get("usageMetadata"), dict) and _BESIDE & each.keys():
            return "has answers with usageMetadata"
    return "begins like an answer of Gemini's" if "candidates" in sample.keys else ""


def _answers(chunks: Iterator[tuple[int, Body]]) -> list[tuple[int, Body]]:
    """The answers of a stream; chunks that have an id meet by it.

    Without an id an answer ends where a chunk follows its finish reason.
    """
    answers: list[tuple[int, list[Body]]] = []
    for line, body in chunks:
        if answers and _goes_on(answers[-1][1][-1], body):
            answers[-1][1].append(body)
        else:
            answers.append((line, [body]))
    return [(line, joined(bodies)) for line, bodies in answers]


def _goes_on(last: Body, body: Body) -> bool:
    if last.response_id or body.response_id:
        return last.response_id == body.response_id
    return not last.finish_reason


FORMAT = answer_format(
    name="gemini_api",
    title="Gemini answers",
    body=gemini_bodies.read,
    stream=Stream(
        chunk=gemini_bodies.DECODER,
        answers=_answers,
        outcome=partial(gemini_bodies.outcome, is_stream=True),
        missing="no chunk of an answer in it",
    ),
    recognise=recognise,
    convention=Convention.INCLUSIVE,
    key="responseId; without it the text and which of its equals in the file it is",
    where="bodies or streams of generateContent of the Gemini API or Vertex AI, kept by your own"
    " program or proxy",
    source="python-genai's types; bodies recorded by vercel/ai and pydantic",
)
