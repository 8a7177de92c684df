"""What credits or money buy at an organization's prices and its own way of using tokens."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from accounting.domain.credits import Mix, Prices, blended_price, money_for
from accounting.domain.estimate import (
    BadEstimateError,
    Cases,
    OneKind,
    SessionCost,
    SessionShape,
    WorkedExample,
    cases,
    checked_mix,
    one_kind,
    prices_of,
    session_cost,
    whole_cost,
    worked_example,
)
from accounting.domain.money import PICO, from_picos, picos
from accounting.domain.ratebook import RateBook
from accounting.domain.tokens import TokenCounts
from accounting.domain.units import MTOK
from accounting.domain.usage import Use
from accounting.queries.filters import UsageFilter
from accounting.queries.mixes import ObservedMix, observed_mix
from accounting.queries.prices import loaded_rates

#: Compared where nobody asked for models and nothing was used yet.
FIRST_MODELS = (
    ("anthropic", "claude-sonnet-4-5"),
    ("openai", "gpt-5"),
    ("google", "gemini-2.5-pro"),
    ("deepseek", "deepseek-chat"),
)
MOST_MODELS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """An amount to spend: of a currency, or of credits of a kind where currency is ''."""

    amount: Decimal
    currency: str = ""
    credit_kind: str = ""  # '': the organization's own


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateQuestion:
    """What is asked. segment: prefills what the mix leaves out (None) and the models.

    project_id: whose own prices come first, None for the organization's.
    mix fields None: as observed, 0 where nothing was. tokens: input tokens to be priced at the mix; they are
    those of many requests, each of the size that was observed, which decides about long-context prices.
    """

    segment: UsageFilter
    at: datetime
    budget: Budget | None = None
    tokens: int | None = None
    models: tuple[tuple[str, str], ...] = ()
    cached_share: Decimal | None = None
    written_share: Decimal | None = None
    output_per_input: Decimal | None = None
    spread: Decimal = Decimal("0.2")
    session: SessionShape | None = None
    whole_credits: bool = False
    project_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEstimate:
    """One model's side. prices: per million tokens, None where the model has none at the moment.

    money: the budget in the prices' currency, None without a rate for it. cost, credits: what the
    asked tokens come to at the mix.
    """

    provider: str
    model: str
    currency: str
    prices: Prices | None
    blended_price: Decimal | None = None
    money: Decimal | None = None
    buys: OneKind | None = None
    at_mix: Cases | None = None
    cost: Decimal | None = None
    credits: Decimal | None = None
    session_uncached: SessionCost | None = None
    session_cached: SessionCost | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The whole answer. credit_kind: what credits are of; price_version: whose prices these are."""

    example: WorkedExample
    budget: Budget | None
    credit_kind: str
    price_version: int
    mix: Mix
    observed: ObservedMix
    models: tuple[ModelEstimate, ...]


def estimate(question: EstimateQuestion) -> Estimate:
    """Answer an estimate: models side by side. Four statements and the loading of prices.

    Raises BadEstimateError for a credit kind nobody has a rate for, and for shares that are none.
    """
    rates = loaded_rates(question.segment.organization_id)
    observed = observed_mix(question.segment)
    seen = observed.mix or Mix()
    mix = checked_mix(
        Mix(
            cached_share=_or(question.cached_share, seen.cached_share),
            written_share=_or(question.written_share, seen.written_share),
            output_per_input=_or(question.output_per_input, seen.output_per_input),
        )
    )
    is_observed = observed.mix is not None and mix == observed.mix
    names = question.models or observed.models or FIRST_MODELS
    side = _Side(question, rates, mix, observed, is_observed=is_observed)
    return Estimate(
        example=worked_example(),
        budget=question.budget,
        credit_kind=side.credit_kind,
        price_version=rates.version,
        mix=mix,
        observed=observed,
        models=tuple(side.estimate(provider, model) for provider, model in names[:MOST_MODELS]),
    )


class _Side:
    """What does not depend on the model."""

    def __init__(
        self,
        question: EstimateQuestion,
        rates: RateBook,
        mix: Mix,
        observed: ObservedMix,
        *,
        is_observed: bool,
    ) -> None:
        self.question, self.rates, self.mix = question, rates, mix
        self.days = observed.days if is_observed else ()
        self.request_tokens = observed.request_tokens
        budget = question.budget
        self.credit_kind = (budget.credit_kind if budget else "") or rates.conversions.kind
        kinds = rates.conversions.kinds
        if budget and budget.credit_kind and budget.credit_kind not in kinds:
            raise BadEstimateError(
                f"no rate for credits of kind {budget.credit_kind!r}, there is {', '.join(kinds)}"
            )

    def estimate(self, provider: str, model: str) -> ModelEstimate:
        """One model's side."""
        question = self.question
        use = Use(provider=provider, request_model=model)
        project_id = question.project_id
        plan = self.rates.plan(use, question.at, self.request_tokens, project_id=project_id)
        prices = prices_of(plan)
        if prices is None:
            return ModelEstimate(provider=provider, model=model, currency="", prices=None)
        currency = plan.currency
        money = self._money(currency)
        cost = None if question.tokens is None else self._cost(question.tokens, prices)
        return ModelEstimate(
            provider=provider,
            model=model,
            currency=currency,
            prices=prices,
            blended_price=blended_price(prices, self.mix),
            money=_amount(money),
            buys=None if money is None else one_kind(money, prices),
            at_mix=(
                None
                if money is None
                else cases(money, prices, self.mix, self.days, question.spread)
            ),
            cost=_amount(cost),
            credits=_amount(None if cost is None else self._credits(cost, currency)),
            session_uncached=self._session(use, currency, money, cached=False),
            session_cached=self._session(use, currency, money, cached=True),
        )

    def _money(self, currency: str) -> int | None:
        budget = self.question.budget
        if budget is None:
            return None
        return self.rates.conversions.exchanged(
            picos(budget.amount),
            budget.currency or self.credit_kind.upper(),
            currency,
            self.question.at,
        )

    def _cost(self, tokens: int, prices: Prices) -> int:
        """What input tokens with their output cost at the mix, in picos, rounded once."""
        return money_for(tokens * PICO // MTOK, blended_price(prices, self.mix))

    def _credits(self, cost: int, currency: str) -> int | None:
        return self.rates.conversions.exchanged(
            cost, currency, self.credit_kind.upper(), self.question.at
        )

    def _session(
        self, use: Use, currency: str, money: int | None, *, cached: bool
    ) -> SessionCost | None:
        shape = self.question.session
        if shape is None:
            return None

        def price(counts: TokenCounts) -> int | None:
            asked = Use(provider=use.provider, request_model=use.request_model, counts=counts)
            question = self.question
            rating = self.rates.rate(asked, question.at, project_id=question.project_id)
            return whole_cost(rating)

        return session_cost(
            shape,
            cached=cached,
            price=price,
            credits_for=lambda cost: self._credits(cost, currency),
            budget=money,
            whole_credits=self.question.whole_credits,
        )


def _or(given: Decimal | None, seen: Decimal) -> Decimal:
    return seen if given is None else given


def _amount(value: int | None) -> Decimal | None:
    return None if value is None else from_picos(value)
