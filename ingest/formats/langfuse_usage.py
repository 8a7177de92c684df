"""What Langfuse's `usage_details` mean: buckets that do not overlap, and a total to check them by."""

from collections.abc import Mapping
from dataclasses import dataclass

from accounting.domain.tokens import TokenCounts, from_inclusive
from ingest.formats.fields import Count, count, known_sum

_READ = {
    "input_cached_tokens",
    "input_cache_read",
    "input_cache_read_tokens",
    "input_cached",
    "cache_read_input_tokens",
}
_WRITE = {"input_cache_creation", "input_cache_creation_tokens", "cache_creation_input_tokens"}
_WRITE_5M = {"input_cache_creation_5m", "input_cache_creation_5m_tokens"}
_WRITE_1H = {"input_cache_creation_1h", "input_cache_creation_1h_tokens"}
_REASONING = {"output_reasoning_tokens", "output_reasoning"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Buckets:
    """The counts of one observation; plain: input without, and output without, other buckets."""

    plain_input: int | None
    plain_output: int | None
    read: int | None
    write: int | None
    write_5m: int | None
    write_1h: int | None
    reasoning: int | None
    other_input: int
    other_output: int
    input_audio: int | None
    output_audio: int | None
    total: int | None
    whole: int  # all buckets together

    @property
    def writes(self) -> int | None:
        """Cache writes; their split by time stands beside them, unless the total says inside."""
        split = (self.write_5m or 0) + (self.write_1h or 0)
        if self.write is None:
            return split if (self.write_5m, self.write_1h) != (None, None) else None
        apart = self.total in {None, self.whole}
        return self.write + split if apart else max(self.write, split)

    @property
    def input_subsets(self) -> int:
        """Input outside the plain bucket."""
        return (self.read or 0) + (self.writes or 0) + self.other_input

    @property
    def output_subsets(self) -> int:
        """Output outside the plain bucket."""
        return (self.reasoning or 0) + self.other_output


def buckets_of(details: Mapping[str, Count]) -> Buckets:
    """The buckets by their many names; those of unknown names count as input or output."""
    found = {name: n for name, value in details.items() if (n := count(value, name)) is not None}
    special = _READ | _WRITE | _WRITE_5M | _WRITE_1H | _REASONING | {"input", "output", "total"}
    audio = {"input_audio_tokens", "input_audio"}, {"output_audio_tokens", "output_audio"}
    rest = {name: n for name, n in found.items() if name not in special}
    return Buckets(
        plain_input=found.get("input"),
        plain_output=found.get("output"),
        read=_sum(found, _READ),
        write=_sum(found, _WRITE),
        write_5m=_sum(found, _WRITE_5M),
        write_1h=_sum(found, _WRITE_1H),
        reasoning=_sum(found, _REASONING),
        other_input=sum(n for name, n in rest.items() if name.startswith("input")),
        other_output=sum(n for name, n in rest.items() if name.startswith("output")),
        input_audio=_sum(found, audio[0]),
        output_audio=_sum(found, audio[1]),
        total=found.get("total"),
        whole=sum(n for name, n in found.items() if name != "total"),
    )


def counts_of(details: Mapping[str, Count], *, hides_thoughts: bool) -> tuple[TokenCounts, bool]:
    """Inclusive counts, and whether the total fits them.

    Buckets do not overlap; where only the plain ones add up to the total, an SDK sent inclusive
    numbers. hides_thoughts: tokens that only the total knows were reasoning (Gemini).
    """
    found = buckets_of(details)
    given, made = found.plain_input, found.plain_output
    plain = (given or 0) + (made or 0)
    all_input = (given or 0) + found.input_subsets
    all_output = (made or 0) + found.output_subsets
    reasoning = found.reasoning
    fits = True
    if found.total is not None and found.total != all_input + all_output:
        if found.total == plain:
            all_input, all_output = given or 0, made or 0
        elif found.total == (given or 0) + all_output:
            all_input = given or 0
        elif found.total == all_input + (made or 0):
            all_output = made or 0
        elif hides_thoughts and reasoning is None and found.total > all_input + all_output:
            reasoning = found.total - all_input - all_output
            all_output += reasoning
        else:
            fits = False
    knows_input = given is not None or found.input_subsets > 0
    knows_output = made is not None or found.output_subsets > 0
    counts = from_inclusive(
        input_tokens=all_input if knows_input else None,
        cache_read_input_tokens=found.read,
        cache_write_input_tokens=found.writes
        if found.writes is not None or found.read is None
        else 0,
        cache_write_5m_input_tokens=found.write_5m,
        cache_write_1h_input_tokens=found.write_1h,
        input_audio_tokens=found.input_audio,
        output_tokens=all_output if knows_output else None,
        reasoning_output_tokens=reasoning,
        output_audio_tokens=found.output_audio,
    )
    return counts, fits


def _sum(found: Mapping[str, int], names: set[str]) -> int | None:
    return known_sum(*map(found.get, names))
