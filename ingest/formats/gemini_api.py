"""Gemini's answers, of the Gemini API or Vertex AI: bodies, and streams of chunks."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from ingest.formats import gemini_bodies
from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    RejectedError,
    Sample,
    Scope,
    State,
    Unit,
)
from ingest.formats.body_reading import Reading, reading_of
from ingest.formats.fields import outcome_of, outcomes_of_stream
from ingest.formats.gemini_usage import Body, joined
from ingest.formats.occurrences import Seen
from ingest.formats.streams import chunks

_BESIDE = {"candidates", "modelVersion", "promptFeedback"}


def recognise(sample: Sample) -> str:
    """Usage in Gemini's words beside the candidates or the model's version."""
    for each in sample.objects:
        if isinstance(each.get("usageMetadata"), dict) and _BESIDE & each.keys():
            return "has answers with usageMetadata"
    return "begins like an answer of Gemini's" if "candidates" in sample.keys else ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each body and each streamed answer; chunks that have an id meet by it."""
    reading = reading_of(FORMAT.name, options, state)
    for item in items:
        if item.is_stream:
            yield from outcomes_of_stream(item, _answers, partial(_streamed, item, reading))
        else:
            yield outcome_of(item, partial(_body, reading))


def _body(reading: Reading, item: Item) -> Outcome:
    return gemini_bodies.read(item, reading)


def _answers(stream: bytes) -> list[tuple[int, Body]]:
    """The answers of a stream, each with the line where it began; a torn chunk is passed over.

    Without an id an answer ends where a chunk follows its finish reason.
    """
    answers: list[tuple[int, list[Body]]] = []
    refusal = RejectedError("not_a_stream", "no chunk of an answer in it")
    for line, chunk in chunks(stream):
        try:
            body = gemini_bodies.DECODER.of(chunk)
        except RejectedError as error:
            refusal = error
            continue
        if answers and _goes_on(answers[-1][1][-1], body):
            answers[-1][1].append(body)
        else:
            answers.append((line, [body]))
    if not answers:
        raise refusal
    return [(line, joined(bodies)) for line, bodies in answers]


def _goes_on(last: Body, body: Body) -> bool:
    if last.response_id or body.response_id:
        return last.response_id == body.response_id
    return not last.finish_reason


def _streamed(item: Item, reading: Reading, told: tuple[int, Body]) -> Outcome:
    line, body = told
    return gemini_bodies.outcome(body, replace(item, line=line), reading, is_stream=True)


FORMAT = Format(
    name="gemini_api",
    title="Gemini answers",
    unit=Unit.JSON,
    also=(Unit.SSE,),
    scope=Scope.FILE,
    convention=Convention.INCLUSIVE,
    key="responseId; without it the text and which of its equals in the file it is",
    where="bodies or streams of generateContent of the Gemini API or Vertex AI, kept by your own"
    " program or proxy",
    source="python-genai's types; bodies recorded by vercel/ai and pydantic",
    recognise=recognise,
    read=read,
    new_state=Seen,
    extensions=(".json", ".jsonl", ".sse", ".txt"),
)
