"""What money or credits buy, and what a session of turns costs as it really runs.

Whole tokens and whole sessions are rounded down: what is bought must be covered.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from accounting.domain.credits import Bought, Mix, Prices, blended_price, tokens_at_mix, tokens_for
from accounting.domain.errors import DomainError
from accounting.domain.money import EXACT, PICO, from_picos, picos, quantised
from accounting.domain.plans import Plan
from accounting.domain.rating import Rating
from accounting.domain.tokens import TokenCounts
from accounting.domain.units import INPUT, MTOK, OUTPUT, contains

MOST_TURNS = 1_000
#: A tenth of the days were dearer than the low case, a tenth cheaper than the high one.
TAIL = Fraction(1, 10)
FEWEST_DAYS = 5
_FOUR_KINDS = (INPUT, "input.cache_read", "input.cache_write.5m", OUTPUT)


class BadEstimateError(DomainError):
    """A question about an estimate that has no answer; the message names what is wrong."""

    code = "bad_estimate"


@dataclass(frozen=True, slots=True, kw_only=True)
class OneKind:
    """Whole tokens of each kind alone that an amount buys; None where they cost nothing."""

    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """What an amount buys at a mix: mid at the mix itself, low at a dearer one, high at a cheaper."""

    low: Bought | None
    mid: Bought | None
    high: Bought | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionShape:
    """A conversation: a system prompt, and in each turn a question and an answer, in tokens."""

    turns: int
    system_tokens: int
    user_tokens: int
    answer_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCost:
    """One session's tokens and cost in picos; credits in picos of a credit, None without a rate.

    sessions: how many whole ones the budget buys; None without a budget or where they are free.
    """

    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: int | None
    credits: int | None
    sessions: int | None


def one_kind(money: int, prices: Prices) -> OneKind:
    """What an amount in picos buys of one kind alone."""
    return OneKind(
        input_tokens=tokens_for(money, prices.input),
        output_tokens=tokens_for(money, prices.output),
        cached_tokens=tokens_for(money, prices.cached),
    )


def cases(money: int, prices: Prices, mix: Mix, days: Sequence[Mix], spread: Decimal) -> Cases:
    """What an amount buys at a mix, with a low and a high case.

    days: the mixes of single days; of five or more the tenth dearest and tenth cheapest are the
    cases. With fewer, the cached share and the output move by `spread` of themselves.
    """
    if len(days) >= FEWEST_DAYS:
        by_price = sorted(days, key=lambda day: blended_price(prices, day))
        place = int(TAIL * (len(by_price) - 1))
        low, high = by_price[-1 - place], by_price[place]
    else:
        low, high = _moved(mix, -spread), _moved(mix, spread)
    return Cases(
        low=tokens_at_mix(money, prices, low),
        mid=tokens_at_mix(money, prices, mix),
        high=tokens_at_mix(money, prices, high),
    )


def checked_mix(mix: Mix) -> Mix:
    """The same mix; raises BadEstimateError where its shares are none."""
    for name in ("cached_share", "written_share", "output_per_input"):
        if getattr(mix, name) < 0:
            raise BadEstimateError(f"{name} = {getattr(mix, name)}, expected 0 or more")
    if mix.cached_share + mix.written_share > 1:
        raise BadEstimateError("cached_share and written_share are more than the whole input")
    return mix


def checked_shape(shape: SessionShape) -> SessionShape:
    """The same shape; raises BadEstimateError for no turns or too many."""
    if not 1 <= shape.turns <= MOST_TURNS:
        raise BadEstimateError(f"turns = {shape.turns}, expected 1 to {MOST_TURNS}")
    return shape


def prices_of(plan: Plan) -> Prices | None:
    """A plan's prices per million tokens of the four kinds; None where input or output has none.

    A kind without a price of its own costs what the kind around it costs.
    """
    known = [price for unit in _FOUR_KINDS if (price := _price(plan, unit)) is not None]
    if len(known) < len(_FOUR_KINDS):
        return None
    whole, read, written, output = known
    return Prices(input=whole, cached=read, written=written, output=output)


def whole_cost(rating: Rating) -> int | None:
    """What a request costs in picos; None where any part of it has no price."""
    return None if rating.state == "partial" else rating.cost


def turns_of(shape: SessionShape, *, cached: bool) -> Iterator[TokenCounts]:
    """The requests of a session: each sends the whole history again.

    cached: all that was sent or answered before is read from a cache.
    """
    for turn in range(shape.turns):
        history = shape.system_tokens + turn * (shape.user_tokens + shape.answer_tokens)
        yield TokenCounts(
            input_tokens=history + shape.user_tokens,
            cache_read_input_tokens=history if cached and turn else 0,
            output_tokens=shape.answer_tokens,
        )


def session_cost(
    shape: SessionShape,
    *,
    cached: bool,
    price: Callable[[TokenCounts], int | None],
    credits_for: Callable[[int], int | None],
    budget: int | None,
    whole_credits: bool = False,
) -> SessionCost:
    """What a session costs, request by request, and how many a budget in picos buys.

    price: a request's cost in picos, None where unknown. credits_for: a cost as picos of a credit.
    whole_credits: each request is rounded up to whole credits, as some gateways do; the sessions
    are then those that the budget's credits buy.
    """
    requests = list(turns_of(shape, cached=cached))
    costs = [price(counts) for counts in requests]
    known = [cost for cost in costs if cost is not None]
    cost = sum(known) if len(known) == len(costs) else None
    credits = None if cost is None else credits_for(cost)
    if whole_credits and credits is not None:
        credits = sum(_rounded_up(credits_for(one) or 0) for one in known)
    budgeted, each = budget, cost
    if whole_credits and budget is not None:
        budgeted, each = credits_for(budget), credits
    return SessionCost(
        input_tokens=sum(counts.input_tokens or 0 for counts in requests),
        cached_tokens=sum(counts.cache_read_input_tokens or 0 for counts in requests),
        output_tokens=sum(counts.output_tokens or 0 for counts in requests),
        cost=cost,
        credits=credits,
        sessions=budgeted // each if budgeted is not None and each else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedExample:
    """The example that explains credits: prices in CNY per million, and what the credits buy."""

    credits: int
    credit_price: Decimal
    currency: str
    prices: Prices
    buys: OneKind


def worked_example() -> WorkedExample:
    """2,500 credits of 0.001 CNY at 0.5 for input, 0.1 cached and 1.5 for output."""
    prices = Prices(input=Decimal("0.5"), cached=Decimal("0.1"), output=Decimal("1.5"))
    price = Decimal("0.001")
    return WorkedExample(
        credits=2_500,
        credit_price=price,
        currency="CNY",
        prices=prices,
        buys=one_kind(picos(2_500 * price), prices),
    )


def _price(plan: Plan, unit: str) -> Decimal | None:
    """The price of a million of a unit: its own, or that of the nearest unit around it."""
    for priced in plan.units:  # inner units come before those that hold them
        if priced.tiers and contains(priced.unit, unit):
            first = priced.tiers[0]
            return from_picos(quantised(first.numerator * MTOK, first.denominator))
    return None


def _moved(mix: Mix, spread: Decimal) -> Mix:
    """A mix with so much more of its input cached and so much less output; negative: the reverse."""
    with localcontext(EXACT):
        return Mix(
            cached_share=min(mix.cached_share * (1 + spread), 1 - mix.written_share),
            written_share=mix.written_share,
            output_per_input=mix.output_per_input * (1 - spread),
        )


def _rounded_up(credits: int) -> int:
    return -(-credits // PICO) * PICO
