"""/sessions/ beside sessions."""

from collections.abc import Mapping

from tests.web.numbers.saying import (
    costs,
    count,
    percent,
    ratio,
    said,
    spend,
    whole,
)
from tests.web.numbers.seen import Seen

#: Rows of the page.
PAGE_ROWS = 50


def sessions(page: Seen) -> None:
    """/sessions/ beside sessions, in the order of the page."""
    order = page.asked("order", "-started")
    answer = page.rest.uncut("sessions", page.query, order=order, limit=1000)
    sums = answer["totals"]
    page.told(
        "/Sessions",
        count(sums["sessions"]),
        said(whole(sums["requests"]), whole(sums["errors"] or None)),
    )
    page.told("/Median in : out", _median(sums))
    token_tiles(page, sums)
    page.told("/Cost", spend(sums, page.own))
    page.table("rows", [_session(row, page.own) for row in answer["rows"][:PAGE_ROWS]])


def _median(sums: Mapping) -> list[str]:
    if sums["session_ratio_median"] is None:
        return []
    return said(ratio(sums["session_ratio_median"]), ratio(sums["input_output_ratio"]))


def token_tiles(page: Seen, sums: Mapping) -> None:
    """Tokens in and out, and how much of the input came from caches."""
    page.told("/Input tokens", count(sums["input_tokens"]), count(sums["cache_read_input_tokens"]))
    page.told("/Cache hit rate", said(percent(sums["cache_hit_rate"])))
    page.told("/Output tokens", count(sums["output_tokens"]))


def _session(row: Mapping, own: str) -> tuple[str, dict]:
    return row["session_id"], {
        "Requests": said(whole(row["requests"])),
        "Input": [count(row["input_tokens"])],
        "Cached": [count(row["cache_read_input_tokens"])],
        "Output": [count(row["output_tokens"])],
        "In : out": said(ratio(row["input_output_ratio"])),
        "Cache hit": said(percent(row["cache_hit_rate"])),
        "Cost": costs(row, own),
    }
