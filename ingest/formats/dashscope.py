"""DashScope's own interface (Qwen): bodies, and streams whose chunks repeat the usage so far."""

from collections.abc import Iterable, Iterator
from functools import partial

from ingest.formats import dashscope_bodies
from ingest.formats.answers import Stream, answer_format
from ingest.formats.base import Convention, Sample
from ingest.formats.dashscope_bodies import Body


def recognise(sample: Sample) -> str:
    """A request id beside an output and its tokens."""
    for each in sample.objects:
        if dashscope_bodies.fits(each) and ("output" in each or len(each) <= 4):
            return "has request_id, output and usage.input_tokens"
    fits = "output" in sample.keys and {"request_id", "status_code"} & sample.keys
    return "begins like an answer of DashScope's" if fits else ""


def _answers(chunks: Iterator[tuple[int, Body]]) -> Iterable[tuple[int, Body]]:
    """The last chunk of each answer by its request id."""
    answers: dict[str | None, tuple[int, Body]] = {}
    for line, body in chunks:
        first, before = answers.get(body.request_id, (line, body))
        body.usage = body.usage or before.usage
        answers[body.request_id] = (first, body)
    return answers.values()


FORMAT = answer_format(
    name="dashscope",
    title="DashScope answers",
    body=dashscope_bodies.read,
    stream=Stream(
        chunk=dashscope_bodies.DECODER,
        answers=_answers,
        outcome=partial(dashscope_bodies.outcome, is_stream=True),
        missing="no chunk of an answer in it",
    ),
    recognise=recognise,
    convention=Convention.INCLUSIVE,
    key="request_id; without it the text and which of its equals in the file it is",
    where="bodies or streams of DashScope's own generation interface, kept by your own program; they"
    " name no model, so say which",
    source="Alibaba Cloud's API reference",
    has_time=False,
)
