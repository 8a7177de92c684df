"""What tools that measure servers write down: requests of a run, all of them benchmarks."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.recomputation.files import Record, at, decoded, inner, records
from tests.recomputation.providers import openai_usage, said
from tests.recomputation.rows import BadRecordError, Row, count


def arrays(path: Path) -> Iterator[Row]:
    """Runs of vLLM and SGLang: arrays of lengths, of which that of errors tells what failed.

    A failed request sent nothing that was counted. The same run twice is one run.
    """
    runs = []
    for run in records(path):
        lengths = run.get("input_lens")
        if lengths is None or any(
            len(run[name]) != len(lengths) for name in ("output_lens", "errors") if name in run
        ):
            continue
        if run not in runs:
            runs.append(run)
    for number, run in enumerate(runs):
        errors = run.get("errors") or [""] * len(run["input_lens"])
        for place, (sent, answered, error) in enumerate(
            zip(run["input_lens"], run["output_lens"], errors, strict=True)
        ):
            counts = {} if error else {"input": count(sent), "output": count(answered)}
            yield Row(key=(number, place), status="error" if error else "ok", **counts)


def guidellm(path: Path) -> Iterator[Row]:
    """Requests of each benchmark by how they ended."""
    for report in records(path):
        for benchmark in report["benchmarks"]:
            for state, rows in (benchmark.get("requests") or {}).items():
                for row in rows or ():
                    failed = state == "errored"
                    counts = {
                        "input": count(row.get("prompt_tokens")),
                        "read": count(row.get("cached_tokens")),
                        "output": _guide_output(row),
                    }
                    yield Row(
                        key=row["request_id"], status="error" if failed else "ok",
                        session=at(row, "info", "conversation_id") or "",
                        **({} if failed else counts),
                    )  # fmt: skip


def _guide_output(row: Record) -> int | None:
    told = count(row.get("output_tokens"))
    return told if told is not None else count(at(row, "info", "timings", "token_iterations"))


def aiperf(path: Path) -> Iterator[Row]:
    """One row for each request, warm-up among them."""
    for record in records(path):
        metadata, metrics = record["metadata"], record["metrics"]
        told = {name: metric["value"] for name, metric in metrics.items()}
        failed = bool(record.get("error"))
        yield Row(
            key=metadata["x_request_id"], at=metadata["request_start_ns"],
            session=metadata.get("x_correlation_id") or "", status="error" if failed else "ok",
            input=count(told.get("input_sequence_length")),
            output=count(told.get("output_sequence_length")),
            reasoning=count(told.get("reasoning_token_count")),
        )  # fmt: skip


def genai_perf(path: Path) -> Iterator[Row]:
    """The last piece of each answer tells the usage."""
    for report in records(path):
        for experiment in report["experiments"]:
            for number, request in enumerate(experiment["requests"]):
                usage, failed = None, False
                for output in request["response_outputs"]:
                    body = inner(output["response"].strip().removeprefix("data: "))
                    usage, failed = body.get("usage") or usage, failed or "error" in body
                yield Row(
                    key=(request["timestamp"], number), at=request["timestamp"],
                    session=at(request, "request_inputs", "session_id") or "",
                    status="error" if failed else "ok",
                    **(openai_usage(usage) if usage else {}),
                )  # fmt: skip


def llmperf(path: Path) -> Iterator[Row]:
    """Rows of requests; of those that were refused nothing was used."""
    for number, row in enumerate(records(path)):
        code = row.get("error_code")
        counts = {
            "input": count(row["number_input_tokens"]),
            "output": count(row["number_output_tokens"]),
        }
        used = code is None or code == -100
        yield Row(key=number, status="ok" if code is None else "error", **(counts if used else {}))


def llama_bench(path: Path) -> Iterator[Row]:
    """Each repetition of a test."""
    for number, row in enumerate(records(path) if path.suffix != ".csv" else ()):
        try:
            sent, answered = count(row["n_prompt"]), count(row["n_gen"])
        except BadRecordError:
            continue
        for repetition, _ in enumerate(row["samples_ns"]):
            yield Row(key=(number, repetition), input=sent, output=answered)


def token_timing(path: Path) -> Iterator[Row]:
    """Lines that time the tokens of an answer; what was sent is mostly unknown."""
    for number, line in enumerate(path.read_text("utf-8-sig").splitlines()):
        record = decoded(line)
        if not isinstance(record, dict):
            continue
        try:
            for name in ("ttft_ms", "tpot_ms", "total_ms"):
                _finite(record.get(name))
            answered = count(said(record.get("output_tokens"), record.get("tokens")))
            sent = count(said(record.get("prompt_tokens"), record.get("input_tokens")))
        except (BadRecordError, ValueError):
            continue
        failed = bool(record.get("error"))
        yield Row(
            key=record.get("request_id") or (path, number), status="error" if failed else "ok",
            model=record.get("model") or "", input=sent, output=None if failed else answered,
        )  # fmt: skip


def _finite(value: Any) -> None:
    if value is not None and not (math.isfinite(float(value)) and float(value) >= 0):
        raise BadRecordError(f"{value} is no time")
