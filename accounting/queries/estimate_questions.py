"""An estimate's question from an address, a JSON body or a command: one set of names for all three."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal

from accounting.domain.currencies import checked_currency
from accounting.domain.errors import DomainError
from accounting.domain.estimate import SessionShape, checked_shape
from accounting.domain.money import amount
from accounting.domain.naming import provider_id
from accounting.domain.tokens import COUNT_LIMIT
from accounting.models import Organization
from accounting.queries.estimates import MOST_MODELS, Budget, EstimateQuestion
from accounting.queries.filters import FilterError, usage_filter

#: Parameters of estimates, beside those of the filter that says whose mix prefills them.
BUDGET = ("credits", "credit_kind", "money", "currency")
MIX = ("cached_share", "written_share", "output_per_input", "spread")
SESSION = ("turns", "system_tokens", "user_tokens", "answer_tokens")
PARAMETERS = (*BUDGET, "input_tokens", "models", *MIX, *SESSION, "whole_credits")
_WHOLE = re.compile(r"\d{1,12}", re.ASCII)
_TRUE, _FALSE = {"true", "1", "yes", "on"}, {"", "false", "0", "no", "off"}

type Params = Mapping[str, Sequence[str]]


def estimate_question(
    params: Params,
    organization: Organization,
    now: datetime,
    *,
    only: str = "",
    project_id: int | None = None,
) -> EstimateQuestion:
    """The question that parameters mean. Raises FilterError naming the first that can't be read.

    only, project_id: the slug and the id of the one project whose usage whoever asks may see; its prices
    hold.
    """
    segment = usage_filter(
        params if "range" in params or "from" in params else {**params, "range": ["30d"]},
        organization,
        now,
        also=PARAMETERS,
        only=only,
    )
    return EstimateQuestion(
        segment=segment,
        at=now,
        budget=_budget(params, organization),
        tokens=_whole(params, "input_tokens"),
        models=_models(params),
        cached_share=_amount(params, "cached_share"),
        written_share=_amount(params, "written_share"),
        output_per_input=_amount(params, "output_per_input"),
        spread=_spread(params),
        session=_session(params),
        whole_credits=_flag(params, "whole_credits"),
        project_id=project_id,
    )


def _budget(params: Params, organization: Organization) -> Budget | None:
    credits, money = _amount(params, "credits"), _amount(params, "money")
    if credits is not None and money is not None:
        raise FilterError("credits_and_money", "give credits or money, not both", "money")
    if credits is not None:
        return Budget(amount=credits, credit_kind=_text(params, "credit_kind"))
    if money is not None:
        return Budget(amount=money, currency=_currency(params) or organization.currency)
    return None


def _currency(params: Params) -> str:
    written = _text(params, "currency")
    return _read("currency", lambda: checked_currency(written)) if written else ""


def _models(params: Params) -> tuple[tuple[str, str], ...]:
    models = []
    for written in params.get("models", ()):
        provider, slash, model = written.strip().partition("/")
        if not slash or not model:
            raise FilterError("bad_model", f"{written[:80]!r}, expected provider/model", "models")
        models.append((provider_id(provider), model))
    if len(models) > MOST_MODELS:
        raise FilterError("too_many_models", f"at most {MOST_MODELS} models", "models")
    return tuple(dict.fromkeys(models))


def _session(params: Params) -> SessionShape | None:
    counts = {name: _whole(params, name) for name in SESSION}
    if counts["turns"] is None:
        unused = [name for name, count in counts.items() if count is not None]
        if unused:
            raise FilterError("session_without_turns", "a session needs turns", unused[0])
        return None
    shape = SessionShape(**{name: count or 0 for name, count in counts.items()})
    return _read("turns", lambda: checked_shape(shape))


def _spread(params: Params) -> Decimal:
    spread = _amount(params, "spread")
    if spread is None:
        return Decimal("0.2")
    if spread > 1:
        raise FilterError("bad_spread", "spread is a share, 0 to 1", "spread")
    return spread


def _amount(params: Params, name: str) -> Decimal | None:
    written = _text(params, name)
    return _read(name, lambda: amount(written)) if written else None


def _whole(params: Params, name: str) -> int | None:
    written = _text(params, name)
    if not written:
        return None
    if not _WHOLE.fullmatch(written) or int(written) >= COUNT_LIMIT:
        raise FilterError("bad_count", f"{name}={written[:40]!r}, expected a whole number", name)
    return int(written)


def _flag(params: Params, name: str) -> bool:
    written = _text(params, name).lower()
    if written not in _TRUE | _FALSE:
        raise FilterError("bad_flag", f"{name}={written[:40]!r}, expected true or false", name)
    return written in _TRUE


def _text(params: Params, name: str) -> str:
    values = params.get(name, ())
    if len(values) > 1:
        raise FilterError("repeated_parameter", f"{name} is given {len(values)} times", name)
    return values[0].strip() if values else ""


def _read[Value](name: str, read: Callable[[], Value]) -> Value:
    try:
        return read()
    except DomainError as error:
        raise FilterError(error.code, f"{name}: {error}", name) from error
