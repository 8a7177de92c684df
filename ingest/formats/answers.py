"""Formats of providers' answers: whole bodies, and streams whose chunks are put together."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

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
from ingest.formats.fields import Decoder, json_of, outcome_of
from ingest.formats.occurrences import Seen
from ingest.formats.streams import chunks


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream[Chunk, Answer]:
    """How streamed answers are read.

    chunk: decodes one chunk. answers: the answers that chunks come to; both stand with their lines,
    an answer with the one where it begins. outcome: what one answer comes to. missing: what a stream
    without an answer lacks.
    """

    chunk: Decoder[Chunk]
    answers: Callable[[Iterator[tuple[int, Chunk]]], Iterable[tuple[int, Answer]]]
    outcome: Callable[[Answer, Item, Reading], Outcome]
    missing: str

    def outcomes(self, item: Item, reading: Reading) -> Iterator[Outcome]:
        """One outcome for each answer of a stream; one rejection when there is none."""
        try:
            answers = self._answers(json_of(item))
        except RejectedError as error:
            yield error.at(item)
            return
        for line, answer in answers:
            yield outcome_of(item, partial(self._outcome, answer, line, reading))

    def _outcome(self, answer: Answer, line: int, reading: Reading, item: Item) -> Outcome:
        return self.outcome(answer, replace(item, line=line), reading)

    def _answers(self, stream: bytes) -> list[tuple[int, Answer]]:
        """The answers; a torn chunk is passed over: what stood before it was used all the same."""
        refusal = RejectedError("not_a_stream", self.missing)

        def whole() -> Iterator[tuple[int, Chunk]]:
            nonlocal refusal
            for line, text in chunks(stream):
                try:
                    chunk = self.chunk.of(text)
                except RejectedError as error:
                    refusal = error
                else:
                    yield line, chunk

        answers = list(self.answers(whole()))
        if not answers:
            raise refusal
        return answers


def answer_format[Chunk, Answer](  # noqa: PLR0913  one argument for each thing a format declares
    *,
    name: str,
    title: str,
    body: Callable[[Item, Reading], Outcome],
    recognise: Callable[[Sample], str],
    convention: Convention,
    key: str,
    where: str,
    source: str,
    stream: Stream[Chunk, Answer] | None = None,
    has_time: bool = True,
) -> Format:
    """A format whose records are answers, or hold one each.

    body: what one record comes to. stream: how streamed answers are read, where the API has them.
    has_time: whether answers say when they were made; without it another import may assume another
    time.
    """

    def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
        """One outcome for each record and each streamed answer."""
        reading = reading_of(name, options, state)
        for item in items:
            if stream is not None and item.is_stream:
                yield from stream.outcomes(item, reading)
            else:
                yield outcome_of(item, lambda each: body(each, reading))

    return Format(
        name=name,
        title=title,
        unit=Unit.JSON,
        also=(Unit.SSE,) if stream else (),
        scope=Scope.FILE,
        convention=convention,
        key=key,
        where=where,
        source=source,
        recognise=recognise,
        read=read,
        new_state=Seen,
        restamps=not has_time,
        time=Time.GIVEN if has_time else Time.ASSUMED,
        extensions=(".json", ".jsonl", ".sse", ".txt") if stream else (".jsonl", ".json"),
    )
