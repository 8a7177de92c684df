"""The parts of a GuideLLM report that are read, of the versions whose requests carry timings."""

from collections.abc import Iterator

import msgspec

from ingest.formats.fields import NOTHING, Count, Decoder, count, known_sum
from ingest.formats.fingerprints import fingerprint

_LONGEST = 200
_SETTINGS: Decoder[object] = Decoder(object)


class Benchmarks(msgspec.Struct):
    """A report: one benchmark for each rate that was tried."""

    benchmarks: list[msgspec.Raw]


class Timings(msgspec.Struct):
    """Moments of one request, in epoch seconds."""

    request_start: float | None = None
    token_iterations: Count = None


class Info(msgspec.Struct):
    """What the scheduler knows of one request."""

    request_id: str | None = None
    conversation_id: str | None = None
    error: str | None = None
    timings: Timings = msgspec.field(default_factory=Timings)


class Request(msgspec.Struct):
    """One request; latencies in seconds or, where the name says so, milliseconds."""

    request_id: str | None = None
    response_id: str | None = None
    info: Info = msgspec.field(default_factory=Info)
    request_start_time: float | None = None
    request_latency: float | None = None
    prompt_tokens: Count = None
    cached_tokens: Count = None
    output_tokens: Count = None
    time_to_first_token_ms: float | None = None
    inter_token_latency_ms: float | None = None


class Requests(msgspec.Struct):
    """The requests by how they ended; lists may be empty or a sample."""

    successful: list[msgspec.Raw] | None = None
    errored: list[msgspec.Raw] | None = None
    incomplete: list[msgspec.Raw] | None = None


class Totals(msgspec.Struct):
    """How many requests ended how."""

    successful: Count = None
    errored: Count = None
    incomplete: Count = None
    total: Count = None


class Distribution(msgspec.Struct):
    """One figure over all requests that ended alike."""

    total_sum: Count = None


class Figures(msgspec.Struct):
    """One figure by how requests ended."""

    successful: Distribution | None = None
    incomplete: Distribution | None = None

    def used(self) -> int | None:
        """The sum over requests that used tokens: finished ones and those that were stopped."""
        sums = [each.total_sum for each in (self.successful, self.incomplete) if each]
        return known_sum(*(count(each, "total_sum") for each in sums))


class Metrics(msgspec.Struct):
    """What a benchmark measured on the whole."""

    request_totals: Totals = msgspec.field(default_factory=Totals)
    prompt_token_count: Figures = msgspec.field(default_factory=Figures)
    output_token_count: Figures = msgspec.field(default_factory=Figures)


class Benchmark(msgspec.Struct):
    """One benchmark: a model at one rate."""

    config: msgspec.Raw = NOTHING
    args: msgspec.Raw = NOTHING
    start_time: float | None = None
    end_time: float | None = None
    metrics: Metrics = msgspec.field(default_factory=Metrics)
    requests: Requests = msgspec.field(default_factory=Requests)

    def model(self) -> str:
        """The model, wherever among the settings it stands."""
        return next((value for name, value in self._settings() if name == "model"), "")

    def strategy(self) -> str:
        """How requests were spaced, in words."""
        return " ".join(value for _, value in self.strategy_settings())

    def strategy_settings(self) -> tuple[tuple[str, str], ...]:
        """Kind of spacing, rate and concurrency, as far as they are told."""
        wanted = {"type_", "rate", "streams", "max_concurrency", "profile"}
        return tuple(dict(pair for pair in self._settings() if pair[0] in wanted).items())

    def fingerprint(self) -> bytes:
        """What tells this benchmark from others."""
        return fingerprint(
            "guidellm", self.start_time, self.end_time, sorted(self._settings()), self.metrics
        )

    def _settings(self) -> Iterator[tuple[str, str]]:
        for part in (self.config, self.args):
            if bytes(part).startswith(b"{"):
                yield from _plain(_SETTINGS.of(bytes(part)))


def _plain(value: object) -> Iterator[tuple[str, str]]:
    for name, inner in value.items() if isinstance(value, dict) else ():
        if isinstance(inner, dict):
            yield from _plain(inner)
        elif isinstance(inner, str | int | float) and len(str(inner)) <= _LONGEST:
            yield str(name), str(inner)
