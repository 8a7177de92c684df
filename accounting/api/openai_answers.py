"""Usage and costs as OpenAI's endpoints tell them, with what of them has no price beside."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from accounting.api.openai_question import BucketPage, seconds_of
from accounting.domain.periods import day_start
from accounting.queries.grammar import NONE
from accounting.queries.grouping import grouped
from accounting.queries.spend import members_of
from accounting.queries.totals import Cost, Totals
from accounting.queries.writing import Written

#: Group there -> dimension here. What of a line item is no model is a part of the cost.
DIMENSIONS = {
    "project_id": "project",
    "user_id": "user",
    "api_key_id": "key",
    "model": "model",
    "service_tier": "service_tier",
    "line_item": "model",
}
#: Part of a cost -> its name in a line item, and the count that was charged in it.
PARTS = {
    "input": ("input_tokens", "uncached_input_tokens"),
    "cache_read": ("cached_input_tokens", "cache_read_input_tokens"),
    "cache_write": ("cache_write_tokens", "cache_write_input_tokens"),
    "output": ("output_tokens", "output_tokens"),
    "other": ("other", ""),
}


def usage_buckets(page: BucketPage) -> list[Written]:
    """The buckets of a page with their usage; those without any are there and empty.

    One statement, one more each for the names of projects and of keys.
    """
    return _buckets(page, lambda totals, group: [_usage(totals, group)])


def cost_buckets(page: BucketPage, line_items: Sequence[str] = ()) -> list[Written]:
    """The same with their costs, one result for each currency. line_items: only these; () is all.

    What of a group has no price is in no currency: it stands in the first result, and sums up once.
    """

    def results(totals: Totals, group: Mapping[str, str | None]) -> list[Written]:
        if "line_item" not in group:
            return _unpriced_once(_costs(totals, group))
        found = _line_items(totals, group)
        return _unpriced_once(
            one for one in found if not line_items or one["line_item"] in line_items
        )

    return _buckets(page, results)


def _unpriced_once(results: Iterable[Written]) -> list[Written]:
    nothing = {"unpriced_requests": 0, "unpriced_tokens": 0}
    return [{**one, **nothing} if place else one for place, one in enumerate(results)]


def _buckets(page: BucketPage, results: Any) -> list[Written]:
    wanted = page.wanted
    dimensions = [DIMENSIONS[group] for group in page.groups]
    rows = grouped(wanted, dimensions).rows
    names = [
        {
            key: member.value
            for key, member in members_of(
                wanted.organization_id, dimension, {row_key[place] for row_key, _ in rows}
            ).items()
        }
        for place, dimension in enumerate(dimensions, start=1)
    ]
    found: dict[int, list[Written]] = {start: [] for start, _ in page.buckets}
    for (start, *keys), totals in rows:
        at = start if isinstance(start, datetime) else day_start(start, wanted.zone)  # type: ignore[arg-type]
        values = (named[key] for named, key in zip(names, keys, strict=True))
        group = {
            name: value if value not in {"", NONE} else None
            for name, value in zip(page.groups, values, strict=True)
        }
        # The first bucket may begin within its day.
        found[max(seconds_of(at), page.buckets[0][0])] += results(totals, group)
    return [
        {"object": "bucket", "start_time": start, "end_time": end, "results": found[start]}
        for start, end in page.buckets
    ]


def _usage(totals: Totals, group: Mapping[str, str | None]) -> Written:
    return {
        "object": "organization.usage.completions.result",
        "input_tokens": totals.input_tokens,
        "input_uncached_tokens": totals.uncached_input_tokens,
        "input_cached_tokens": totals.cache_read_input_tokens,
        "input_cache_write_tokens": totals.cache_write_input_tokens,
        "output_tokens": totals.output_tokens,
        "num_model_requests": totals.requests,
        **{name: group.get(name) for name in DIMENSIONS if name != "line_item"},
        "batch": None,
    }


def _costs(totals: Totals, group: Mapping[str, str | None]) -> Iterator[Written]:
    for cost in totals.costs:
        yield _cost(totals, group, {"value": cost.amount, "currency": cost.currency.lower()})
    if not totals.costs and (totals.unpriced_requests or totals.unpriced_tokens):
        yield _cost(totals, group, None)


def _line_items(totals: Totals, group: Mapping[str, str | None]) -> Iterator[Written]:
    """What each kind of token of a model came to; kinds that came to nothing are left out."""
    for cost in totals.costs:
        for part, (kind, count) in PARTS.items():
            if amount := getattr(cost, part):
                item = {**group, "line_item": f"{group['line_item'] or ''}, {kind}"}
                value = {"value": amount, "currency": cost.currency.lower()}
                quantity = getattr(totals, count) if count and _is_charged(totals, cost) else None
                yield _cost(totals, item, value, quantity)
    if not totals.costs and (totals.unpriced_requests or totals.unpriced_tokens):
        yield _cost(totals, group, None)


def _is_charged(totals: Totals, cost: Cost) -> bool:
    """Whether all counts were charged in this currency, so that they are the cost's quantities."""
    is_whole = not (totals.unpriced_requests or totals.unpriced_tokens)
    return is_whole and totals.costs == (cost,)


def _cost(
    totals: Totals,
    group: Mapping[str, str | None],
    amount: Written | None,
    quantity: int | None = None,
) -> Written:
    return {
        "object": "organization.costs.result",
        "amount": amount,
        "line_item": group.get("line_item"),
        "project_id": group.get("project_id"),
        "user_id": group.get("user_id"),
        "api_key_id": group.get("api_key_id"),
        "quantity": quantity,
        "quantity_unit": None if quantity is None else "tokens",
        "unpriced_requests": totals.unpriced_requests,
        "unpriced_tokens": totals.unpriced_tokens,
    }
