"""DashScope's own interface (Qwen): bodies, and streams whose chunks repeat the usage so far."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from ingest.formats import dashscope_bodies
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
    Time,
    Unit,
)
from ingest.formats.body_reading import Reading, reading_of
from ingest.formats.dashscope_bodies import Body
from ingest.formats.fields import outcome_of, outcomes_of_stream
from ingest.formats.occurrences import Seen
from ingest.formats.streams import chunks


def recognise(sample: Sample) -> str:
    """A request id beside an output and its tokens."""
    for each in sample.objects:
        if dashscope_bodies.fits(each) and ("output" in each or len(each) <= 4):
            return "has request_id, output and usage.input_tokens"
    fits = "output" in sample.keys and {"request_id", "status_code"} & sample.keys
    return "begins like an answer of DashScope's" if fits else ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each body and each streamed answer."""
    reading = reading_of(FORMAT.name, options, state)
    for item in items:
        if item.is_stream:
            yield from outcomes_of_stream(item, _answers, partial(_streamed, item, reading))
        else:
            yield outcome_of(item, partial(_body, reading))


def _body(reading: Reading, item: Item) -> Outcome:
    return dashscope_bodies.read(item, reading)


def _answers(stream: bytes) -> list[tuple[int, Body]]:
    """The last chunk of each answer by its request id; a torn chunk is passed over."""
    answers: dict[str | None, tuple[int, Body]] = {}
    refusal = RejectedError("not_a_stream", "no chunk of an answer in it")
    for line, chunk in chunks(stream):
        try:
            body = dashscope_bodies.DECODER.of(chunk)
        except RejectedError as error:
            refusal = error
            continue
        first, before = answers.get(body.request_id, (line, body))
        body.usage = body.usage or before.usage
        answers[body.request_id] = (first, body)
    if not answers:
        raise refusal
    return list(answers.values())


def _streamed(item: Item, reading: Reading, told: tuple[int, Body]) -> Outcome:
    line, body = told
    return dashscope_bodies.outcome(body, replace(item, line=line), reading, is_stream=True)


FORMAT = Format(
    name="dashscope",
    title="DashScope answers",
    unit=Unit.JSON,
    also=(Unit.SSE,),
    scope=Scope.FILE,
    convention=Convention.INCLUSIVE,
    key="request_id; without it the text and which of its equals in the file it is",
    where="bodies or streams of DashScope's own generation interface, kept by your own program; they"
    " name no model, so say which",
    source="Alibaba Cloud's API reference",
    recognise=recognise,
    read=read,
    new_state=Seen,
    restamps=True,
    time=Time.ASSUMED,
    extensions=(".json", ".jsonl", ".sse", ".txt"),
)
