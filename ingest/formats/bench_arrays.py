"""Runs that list their requests in arrays side by side, as vLLM and SGLang write them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from accounting.domain.tokens import TokenCounts, from_inclusive
from accounting.domain.usage import NOTHING_REPORTED
from ingest.formats.base import RejectedError
from ingest.formats.bench_records import checked_seconds, ms_of_seconds, tpot_of
from ingest.formats.error_names import error_name
from ingest.formats.fields import Count, required_count


class Arrays(msgspec.Struct):
    """What a run tells of its requests: one place in every array for each, times in seconds.

    Their input lengths include failed requests, the run's totals do not.
    """

    duration: float | None = None
    completed: Count = None
    total_input_tokens: Count = None
    total_output_tokens: Count = None
    input_lens: list[Count] | None = None
    output_lens: list[Count] | None = None
    start_times: list[float] | None = None
    ttfts: list[float] | None = None
    itls: list[list[float]] | None = None
    errors: list[str | None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One request of a run. after_s: how long after the first one it started."""

    index: int
    counts: TokenCounts
    error: str
    after_s: float
    ttft_ms: float | None
    duration_ms: float | None
    tpot_ms: float | None


def requests_of(run: Arrays) -> Iterator[Measured]:
    """Each request of a run with its lengths and times; RejectedError where arrays do not fit."""
    lengths = list(zip(run.input_lens or (), run.output_lens or (), strict=False))
    _check_lengths(run)
    first = min(run.start_times or [0.0])
    for index, (given, made) in enumerate(lengths):
        error = _error(run, index, made)
        output = required_count(made, f"output_lens[{index}]")
        ttft = checked_seconds(run.ttfts[index], "ttfts") if run.ttfts else None
        steps = run.itls[index] if run.itls else None
        duration = None
        if ttft is not None and steps is not None:
            duration = checked_seconds(math.fsum([ttft, *steps]), "itls")
        counts = from_inclusive(
            input_tokens=required_count(given, f"input_lens[{index}]"), output_tokens=output
        )
        yield Measured(
            index=index,
            counts=NOTHING_REPORTED if error else counts,
            error=error,
            after_s=checked_seconds(run.start_times[index] - first, "start_times")
            if run.start_times
            else 0.0,
            ttft_ms=None if error else ms_of_seconds(ttft, "ttfts"),
            duration_ms=None if error else ms_of_seconds(duration, "itls"),
            tpot_ms=None if error else ms_of_seconds(tpot_of(duration, ttft, output), "itls"),
        )


def doubts_of(run: Arrays, measured: list[Measured]) -> tuple[str, ...]:
    """inconsistent_total where the run's own totals are not those of its successful requests."""
    for total, name in (
        (run.total_input_tokens, "input_tokens"),
        (run.total_output_tokens, "output_tokens"),
    ):
        listed = sum(getattr(each.counts, name) or 0 for each in measured)
        if total is not None and required_count(total, f"total_{name}") != listed:
            return ("inconsistent_total",)
    return ()


def _error(run: Arrays, index: int, made: Count) -> str:
    """Why a request failed; where no reasons are kept, one without an answer did."""
    if run.errors:
        return error_name(run.errors[index])
    return "no_output" if not made and run.ttfts and not run.ttfts[index] else ""


def _check_lengths(run: Arrays) -> None:
    arrays = (
        run.input_lens, run.output_lens, run.start_times, run.ttfts, run.itls, run.errors,
    )  # fmt: skip
    lengths = {len(array) for array in arrays if array}
    if len(lengths) > 1 or not run.input_lens or not run.output_lens:
        reason = f"its arrays have {sorted(lengths)} places, expected as many in each"
        raise RejectedError("inconsistent_lengths", reason, field="output_lens")
