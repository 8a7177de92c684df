"""What one-api and new-api say of usage: counts, and the quota they charged, by which to check them."""

from decimal import Decimal

import msgspec

from accounting.domain.tokens import TokenCounts, from_disjoint, from_inclusive
from ingest.formats.base import RejectedError
from ingest.formats.fields import NOTHING, Count, Exact, cost, count
from ingest.formats.shown import shown

#: The quota is a whole number: roundings and a least charge of 1.
_TOLERANCE = 2
_QUOTA_LIMIT = 10**12


class Other(msgspec.Struct):
    """How a row was charged. Ratios are relative to 2 USD per million tokens."""

    model_ratio: Exact = NOTHING
    group_ratio: Exact = NOTHING
    user_group_ratio: Exact = NOTHING
    completion_ratio: Exact = NOTHING
    model_price: Exact = NOTHING
    cache_tokens: Count = None
    cache_ratio: Exact = NOTHING
    cache_creation_tokens: Count = None
    cache_creation_ratio: Exact = NOTHING
    cache_creation_tokens_5m: Count = None
    cache_creation_tokens_1h: Count = None
    claude: bool | None = None
    frt: int | float | None = None
    status_code: Count = None
    error_type: str | None = None
    error_code: str | int | None = None
    upstream_model_name: str | None = None

    @property
    def is_per_token(self) -> bool:
        """Whether the tokens were charged: then a call has no price, written as -1."""
        return bytes(self.model_price).startswith(b"-1")


def quota_usd(quota: int) -> Decimal:
    """A quota in US dollars: 500,000 are one. Negative where it was given back."""
    return Decimal(quota * 2).scaleb(-6)


def checked_quota(value: Count) -> int:
    """A quota; RejectedError where it is no whole number or out of range."""
    if isinstance(value, str) and value.removeprefix("-").isdecimal() and value.isascii():
        value = int(value) if len(value) <= 14 else _QUOTA_LIMIT
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= _QUOTA_LIMIT:
        reason = f"quota = {shown(value)}, expected a whole number"
        raise RejectedError("bad_count", reason, field="quota", value=value)
    return value


def counts_of(
    prompt: Count, completion: Count, quota: int, other: Other
) -> tuple[TokenCounts, bool]:
    """Inclusive counts, and whether the convention is certain.

    Versions differ in whether Claude's prompt includes what was cached: the quota that was charged
    tells, where its formula fits one of the two; else the row's own mark does.
    """
    given, output = count(prompt, "prompt_tokens"), count(completion, "completion_tokens")
    read = count(other.cache_tokens, "other.cache_tokens")
    write = count(other.cache_creation_tokens, "other.cache_creation_tokens")
    five = count(other.cache_creation_tokens_5m, "other.cache_creation_tokens_5m")
    hour = count(other.cache_creation_tokens_1h, "other.cache_creation_tokens_1h")
    cached = (read or 0) + (write or 0)
    others = {
        "output_tokens": output,
        "cache_write_5m_input_tokens": five,
        "cache_write_1h_input_tokens": hour,
    }
    if read is not None and write is None:
        write = 0
    apart, is_certain = cached > (given or 0), True
    if cached and not apart:
        whole = _charged(given or 0, output or 0, read or 0, write or 0, other)
        part = _charged((given or 0) - cached, output or 0, read or 0, write or 0, other)
        fits_apart, fits_inside = abs(whole - quota) <= _TOLERANCE, abs(part - quota) <= _TOLERANCE
        is_certain = fits_apart != fits_inside
        apart = fits_apart if is_certain else bool(other.claude)
    if apart:
        return from_disjoint(uncached=given, cache_read=read, cache_write=write, **others), True
    counts = from_inclusive(
        input_tokens=given, cache_read_input_tokens=read, cache_write_input_tokens=write, **others
    )
    return counts, is_certain


def _charged(uncached: int, output: int, read: int, write: int, other: Other) -> Decimal:
    """The quota that the row's own ratios give."""
    weighed = (
        uncached
        + read * _ratio(other.cache_ratio, "cache_ratio")
        + write * _ratio(other.cache_creation_ratio, "cache_creation_ratio")
        + output * _ratio(other.completion_ratio, "completion_ratio")
    )
    return weighed * _ratio(other.model_ratio, "model_ratio") * _ratio(other.group_ratio, "group")


def _ratio(value: Exact, field: str) -> Decimal:
    found = cost(value, f"other.{field}")
    return Decimal(1) if found is None else found
