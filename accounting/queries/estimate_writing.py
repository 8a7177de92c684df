"""An estimate as programs read it: amounts are plain decimal texts, unknown is null."""

from dataclasses import asdict
from decimal import Decimal

from accounting.domain.credits import Bought, Mix, Prices
from accounting.domain.estimate import Cases, SessionCost
from accounting.domain.money import from_picos, plain
from accounting.queries.estimates import Estimate, ModelEstimate
from accounting.queries.writing import Written


def written_estimate(estimate: Estimate) -> Written:
    """The worked example first, then what was asked, model by model."""
    example, budget = estimate.example, estimate.budget
    return {
        "example": {
            "credits": example.credits,
            "credit_price": plain(example.credit_price),
            "currency": example.currency,
            "prices": _prices(example.prices),
            "buys": asdict(example.buys),
        },
        "budget": (
            {
                "amount": plain(budget.amount),
                "currency": budget.currency or None,
                "credit_kind": None if budget.currency else estimate.credit_kind,
            }
            if budget
            else None
        ),
        "mix": _mix(estimate.mix),
        "observed": {
            "mix": _mix(estimate.observed.mix) if estimate.observed.mix else None,
            "requests": estimate.observed.requests,
            "days": len(estimate.observed.days),
        },
        "price_version": estimate.price_version,
        "models": [_model(side, estimate.credit_kind) for side in estimate.models],
    }


def _model(side: ModelEstimate, credit_kind: str) -> Written:
    return {
        "provider": side.provider,
        "model": side.model,
        "currency": side.currency or None,
        "prices": _prices(side.prices) if side.prices else None,
        "blended_price": _amount(side.blended_price),
        "money": _amount(side.money),
        "buys": asdict(side.buys) if side.buys else None,
        "at_mix": _cases(side.at_mix) if side.at_mix else None,
        "cost": _amount(side.cost),
        "credits": _amount(side.credits),
        "credit_kind": credit_kind,
        "session_uncached": _session(side.session_uncached),
        "session_cached": _session(side.session_cached),
    }


def _prices(prices: Prices) -> Written:
    return {name: plain(price) for name, price in asdict(prices).items()}


def _mix(mix: Mix) -> Written:
    return {name: plain(share) for name, share in asdict(mix).items()}


def _cases(found: Cases) -> Written:
    return {name: _bought(getattr(found, name)) for name in ("low", "mid", "high")}


def _bought(bought: Bought | None) -> Written | None:
    if bought is None:
        return None
    return {
        "input_tokens": bought.input_tokens,
        "output_tokens": bought.output_tokens,
        "blended_price": plain(bought.blended_price),
    }


def _session(session: SessionCost | None) -> Written | None:
    if session is None:
        return None
    return asdict(session) | {
        "cost": _amount(None if session.cost is None else from_picos(session.cost)),
        "credits": _amount(None if session.credits is None else from_picos(session.credits)),
    }


def _amount(value: Decimal | None) -> str | None:
    return None if value is None else plain(value)
