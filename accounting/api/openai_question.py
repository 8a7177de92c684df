"""The questions of OpenAI's usage and costs endpoints, as filters of ours.

Buckets are days or hours of the organization's own time zone. The first begins at start_time and the
last ends at end_time, so that windows that adjoin count everything once. The books keep hours: a moment
within one means its beginning, at both ends. Without end_time the last bucket is a whole one.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.core import signing

from accounting.domain.periods import FIRST_YEAR, LAST_YEAR, day_of, day_start, hour_of
from accounting.domain.ranges import DAY, HOUR
from accounting.models import Organization
from accounting.queries.filters import FilterError, UsageFilter, usage_filter
from accounting.queries.reading import check_reading

type Params = Mapping[str, Sequence[str]]

_SECONDS = re.compile(r"\d{1,11}", re.ASCII)
_LIMIT = re.compile(r"\d{1,5}", re.ASCII)
_WIDTHS = {"1d": "day", "1h": "hour"}
#: Conditions, by their names there: ours.
_CONDITIONS = {
    "project_ids": "project",
    "user_ids": "user",
    "api_key_ids": "key",
    "models": "model",
}
_SINGLE = ("start_time", "end_time", "bucket_width", "limit", "page")
_MANY = ("group_by", *_CONDITIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What one of the endpoints takes.

    limits: how many buckets a page has, at most and unless told, by their width. groups: what results
    can be grouped by. others: further conditions, which the endpoint reads itself.
    """

    name: str
    limits: Mapping[str, tuple[int, int]]
    groups: tuple[str, ...]
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketPage:
    """Some buckets of a question. wanted: the filter of their usage and of no other.

    buckets: start and end in Unix seconds. groups: as they were asked for. next_page: None on the last.
    """

    wanted: UsageFilter
    buckets: tuple[tuple[int, int], ...]
    groups: tuple[str, ...]
    next_page: str | None


def bucket_page(
    params: Params, shape: Shape, organization: Organization, now: datetime, *, only: str = ""
) -> BucketPage:
    """The page that parameters ask for, whose lists may be called name or name[].

    only: the project that the caller sees alone. Raises FilterError.
    """
    params = with_plain_names(params)
    _refuse_others(params, shape)
    _check_width(params, shape)
    span = _span(params, ZoneInfo(organization.time_zone), now)
    wanted = _filter(params, span, organization, now, only)
    groups = _groups(params, shape)
    bounds = _bounds(wanted, *span, is_cut=bool(params.get("end_time", [""])[0]))
    limit = _limit(params, shape)
    asked = _asked(params, shape, wanted, bounds[0])
    first = _first(params, asked)
    shown = bounds[first : first + limit + 1]
    last = first + len(shown) - 1
    return BucketPage(
        wanted=replace(
            wanted,
            starts_at=datetime.fromtimestamp(shown[0], UTC),
            ends_at=datetime.fromtimestamp(shown[-1], UTC),
        ),
        buckets=tuple(pairwise(shown)),
        groups=groups,
        next_page=signing.dumps(last, salt=asked) if last < len(bounds) - 1 else None,
    )


def with_plain_names(params: Params) -> Params:
    """The parameters with lists named as they are documented: the SDK sends models[]=a."""
    plain: dict[str, list[str]] = {}
    for name, values in params.items():
        plain.setdefault(name.removesuffix("[]"), []).extend(values)
    return plain


def seconds_of(moment: datetime) -> int:
    """Unix seconds."""
    return int(moment.timestamp())


def _refuse_others(params: Params, shape: Shape) -> None:
    known = (*_SINGLE, *_MANY, *shape.others)
    for name, values in params.items():
        if name not in known:
            kept = "the books do not keep it; " if name in {"batch", "api_source"} else ""
            there = f"{kept}there are {', '.join(known)}"
            raise FilterError(
                "unknown_parameter", f"{name[:80]!r} is no parameter here: {there}", name[:80]
            )
        if name in _SINGLE and len(values) > 1:
            raise FilterError("repeated_parameter", f"{name} is given {len(values)} times", name)


def _check_width(params: Params, shape: Shape) -> None:
    width = params.get("bucket_width", ["1d"])[0]
    if width not in shape.limits:
        kept = "the books keep hours; " if width == "1m" else ""
        expected = f"{kept}expected {' or '.join(shape.limits)}"
        raise FilterError(
            "unknown_bucket", f"bucket_width={width[:40]!r}: {expected}", "bucket_width"
        )


def _span(params: Params, zone: ZoneInfo, now: datetime) -> tuple[datetime, datetime]:
    start, end = _instant(params, "start_time"), _instant(params, "end_time")
    if start is None:
        raise FilterError("missing_from", "start_time is required, in Unix seconds", "start_time")
    start = hour_of(start, zone)
    end = hour_of(end, zone) if end else max(now, start + DAY)
    if start >= end:
        least = seconds_of(start + HOUR)
        detail = f"end_time must lie in a later hour than start_time: at {least} or after"
        raise FilterError("range_reversed", detail, "end_time")
    return start, end


def _filter(
    params: Params,
    span: tuple[datetime, datetime],
    organization: Organization,
    now: datetime,
    only: str,
) -> UsageFilter:
    zone = ZoneInfo(organization.time_zone)
    first, last = (day_of(at, zone) for at in span)
    if day_start(last, zone) < span[1]:
        last += DAY
    asked = {
        "from": [f"{first}"],
        "to": [f"{last}"],
        "bucket": [_WIDTHS[params.get("bucket_width", ["1d"])[0]]],
    }
    for there, ours in _CONDITIONS.items():
        if there in params:
            asked[ours] = list(params[there])
    wanted = usage_filter(asked, organization, now, only=only)
    check_reading(wanted)
    return wanted


def _groups(params: Params, shape: Shape) -> tuple[str, ...]:
    groups = tuple(dict.fromkeys(params.get("group_by", ())))
    for group in groups:
        if group not in shape.groups:
            expected = f"expected {', '.join(shape.groups)}"
            raise FilterError("unknown_group", f"group_by={group[:80]!r}, {expected}", "group_by")
    return groups


def _bounds(wanted: UsageFilter, start: datetime, end: datetime, *, is_cut: bool) -> list[int]:
    """The starts of all buckets, in order, and the end of the last one. is_cut: which is end."""
    starts = [
        at if isinstance(at, datetime) else day_start(at, wanted.zone) for at in wanted.buckets
    ]
    spans = pairwise([*starts, wanted.ends_at])
    inside = [(one, two) for one, two in spans if two > start and one < end]
    last = end if is_cut else inside[-1][1]
    return [*(seconds_of(max(one, start)) for one, _ in inside), seconds_of(last)]


def _limit(params: Params, shape: Shape) -> int:
    most, default = shape.limits[params.get("bucket_width", ["1d"])[0]]
    text = params.get("limit", [f"{default}"])[0]
    if not _LIMIT.fullmatch(text) or not 1 <= int(text) <= most:
        raise FilterError("bad_limit", f"limit={text[:20]!r}, expected 1 to {most}", "limit")
    return int(text)


def _asked(params: Params, shape: Shape, wanted: UsageFilter, first: int) -> str:
    """What a page's token belongs to: the same question. Without end_time it may grow meanwhile."""
    same = sorted(
        (name, values) for name, values in params.items() if name not in {"page", "limit"}
    )
    pairs = urlencode(same, doseq=True)
    return f"openai:{shape.name}:{wanted.organization_id}:{wanted.only}:{first}:{pairs}"


def _first(params: Params, asked: str) -> int:
    text = params.get("page", [""])[0]
    if not text:
        return 0
    try:
        place: int = signing.loads(text, salt=asked)
    except signing.BadSignature:
        raise FilterError(
            "bad_cursor", "page was not given out for this question", "page"
        ) from None
    return place


def _instant(params: Params, name: str) -> datetime | None:
    text = params.get(name, [""])[0]
    if not text:
        return None
    moment = datetime.fromtimestamp(int(text), UTC) if _SECONDS.fullmatch(text) else None
    if moment is None or not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise FilterError(
            "bad_time",
            f"{name}={text[:40]!r}, expected Unix seconds of {FIRST_YEAR} or later",
            name,
        )
    return moment
