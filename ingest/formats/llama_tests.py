"""A test as llama-bench writes it, as JSON or as CSV."""

from datetime import datetime
from typing import Annotated

import msgspec

from ingest.formats.base import RejectedError
from ingest.formats.bench_runs import label_of
from ingest.formats.fields import Count, Decoder, required_count, text
from ingest.formats.moments import moment

#: Within 64 bits: dividing a longer number would overflow.
Nanoseconds = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class Row(msgspec.Struct):
    """A test: so many prompt tokens, so many generated ones, on a context of n_depth tokens.

    samples_ns: how long each repetition took. CSV leaves them out.
    """

    n_prompt: Count = None
    n_gen: Count = None
    n_depth: Count = None
    model_filename: str | None = None
    model_type: str | None = None
    test_time: str | None = None
    avg_ns: Count = None
    samples_ns: list[Nanoseconds] | None = None

    def prompt_tokens(self) -> int:
        """The tokens of the prompt, which may be none."""
        return required_count(self.n_prompt, "n_prompt")

    def generated_tokens(self) -> int:
        """The tokens that were generated, which may be none."""
        return required_count(self.n_gen, "n_gen")

    def started_at(self) -> datetime:
        """When the first repetition began."""
        start = moment(self.test_time, "test_time")
        if start is None:
            raise RejectedError("missing_field", "a test without its time", field="test_time")
        return start

    def model(self) -> str:
        """The file of the model, else its kind."""
        return text(self.model_filename or self.model_type, "model_filename")

    def label(self) -> str:
        """The test in llama-bench's own words: model, pp512+tg128, its depth and its time."""
        model, depth = self.model(), required_count(self.n_depth or 0, "n_depth")
        kinds = (("pp", self.prompt_tokens()), ("tg", self.generated_tokens()))
        test = "+".join(f"{kind}{n}" for kind, n in kinds if n)
        return label_of(model, test, f"depth {depth}" if depth else "", self.test_time)


ROWS = Decoder(Row, {"n_prompt": 1, "n_gen": 1, "samples_ns": 1})
