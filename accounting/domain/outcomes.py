"""From a plan and a use to the price of a request and its state."""

from collections.abc import Callable

from accounting.domain.errors import BadAmountError
from accounting.domain.money import LARGEST_PICOS
from accounting.domain.plans import Plan, Steps
from accounting.domain.rating import Bill, Line, Rating, bill
from accounting.domain.tokens import TokenCounts
from accounting.domain.units import PARTS, REQUESTS, UNITS, cache_write_of, unit_counts
from accounting.domain.usage import Use

#: Operations that have no output to tell.
WITHOUT_OUTPUT = frozenset({"embeddings", "embedding", "rerank", "moderation", "transcription"})
_BITS = {part: 1 << place for place, part in enumerate(PARTS)}
_ORDER = {code: place for place, code in enumerate(UNITS)}
_NOTHING = (0, 0, 0, 0, 0)


def rated(
    plan_for: Callable[[int], Plan],
    use: Use,
    names: tuple[str, str],
    requests: int,
    lines: list[Line] | None = None,
) -> Rating:
    """The price of what was used.

    plan_for: the plan for a total of input tokens. names: canonical provider and model.
    requests: how many requests to charge, where the model has a price for those; a request that
    failed or still runs is charged for its tokens alone. lines receives the bill's lines.
    """
    used = unit_counts(use.counts)
    if use.counts.input_tokens is None:
        least = _least_input(used)
        if least:
            used["input"] = least
    plan = plan_for(used.get("input", 0))
    if not use.billable or use.gateway_cache_hit:
        return _rating("not_billable", plan.currency, _NOTHING, names)
    if requests and use.status in {"ok", "cancelled"}:
        used[REQUESTS] = used.get(REQUESTS, requests)
    result = bill(plan, used, lines)
    if lines is not None:
        lines.sort(key=_line_order)
    return _settled(plan, result, _untold(plan, use, result), names)


def plainly_rated(plan: Plan, steps: Steps, use: Use, names: tuple[str, str]) -> Rating | None:
    """The same price by the short way; None where the long one must be gone.

    That is where something is out of the ordinary: unknown totals, other units, parts that exceed
    their whole or cross each other, nothing charged, or more than a line may hold.
    """
    if not use.billable or use.gateway_cache_hit or use.counts.output_tokens is None:
        return None
    parts = _plain_parts(steps, use.counts)
    if parts is None:
        return None
    whole, read, written, output, other = parts
    cost = whole + read + written + output + other
    if not 0 < cost <= LARGEST_PICOS:
        return None
    return Rating(steps.state, plan.currency, cost, whole, read, written, output, other, *names)


def _plain_parts(steps: Steps, counts: TokenCounts) -> list[int] | None:
    *rest, others, searches = steps.read(counts)
    if others or searches:
        return None
    for one, two in steps.crossing:
        if rest[one] and rest[two]:
            return None
    if steps.write is not None and rest[steps.write] is None:
        rest[steps.write] = cache_write_of(counts)
    parts = [0, 0, 0, 0, 0]
    # A unit's holders come after it in the list, which is read as it stands when they are reached.
    for count, (holders, price, part) in zip(rest, steps.steps, strict=True):
        if not count:
            continue
        for holder in holders:
            whole = rest[holder]
            if whole is None or whole < count:
                return None
            rest[holder] = whole - count
        parts[part] += count * price
    return parts


def _settled(plan: Plan, result: Bill, untold: int, names: tuple[str, str]) -> Rating:
    parts: list[int | None] = list(result.parts)
    if not result.charged:
        if result.unpriced or untold:
            nothing = (None, None, None, None, None)
            return _rating("unpriced", "", nothing, names, result.unpriced_tokens)
        return _rating("free", plan.currency, _NOTHING, names)
    if result.unpriced or untold:
        for place, amount in enumerate(result.parts):
            if not amount and (result.unpriced_parts | untold) >> place & 1:
                parts[place] = None
        state = "partial"
    elif result.assumed:
        state = "assumed"
    else:
        state = "priced" if result.paid else "free"
    return _rating(state, plan.currency, parts, names, result.unpriced_tokens)


def _untold(plan: Plan, use: Use, result: Bill) -> int:
    """The cost parts, as bits, that have a price but whose count the source did not tell.

    A failed request of which nothing is told costs nothing.
    """
    counts = use.counts
    told_input, told_output = counts.input_tokens is not None, counts.output_tokens is not None
    if told_input and told_output:
        return 0
    if not told_input and not told_output and use.status == "error":
        return 0
    untold = _BITS["input"] if not told_input and _has_price(plan, "input") else 0
    if not told_output and use.operation not in WITHOUT_OUTPUT and _has_price(plan, "output"):
        untold |= _BITS["output"]
    if not told_input and not told_output and not result.charged:
        untold |= _BITS["other"]
    return untold


def _has_price(plan: Plan, unit: str) -> bool:
    return plan.prices[unit].is_paid


def _least_input(used: dict[str, int]) -> int:
    """The least input that the known parts of an unknown input allow."""
    cached = used.get("input.cache_read", 0) + used.get("input.cache_write", 0)
    return max(cached, *(used.get(f"input.{part}", 0) for part in ("tool", "audio", "image")))


def _rating(
    state: str,
    currency: str,
    parts: list[int | None] | tuple[int | None, ...],
    names: tuple[str, str],
    unpriced_tokens: int = 0,
) -> Rating:
    cost = None if state == "unpriced" else sum(part for part in parts if part)
    if cost is not None and cost > LARGEST_PICOS:
        raise BadAmountError(f"a cost of {cost} picos is more than one request may have")
    return Rating(
        state=state,
        currency=currency,
        cost=cost,
        cost_input=parts[0],
        cost_cache_read=parts[1],
        cost_cache_write=parts[2],
        cost_output=parts[3],
        cost_other=parts[4],
        provider=names[0],
        model=names[1],
        unpriced_tokens=unpriced_tokens,
    )


def _line_order(line: Line) -> tuple[int, str]:
    return (_ORDER.get(line.unit, len(_ORDER)), line.unit)
