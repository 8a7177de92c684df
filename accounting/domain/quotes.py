"""A price asked for outside the books: one question as JSON values, one answer as JSON values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounting.domain.errors import BadCountError, BadMomentError, DomainError
from accounting.domain.money import from_picos, plain
from accounting.domain.periods import checked_moment
from accounting.domain.ratebook import RateBook
from accounting.domain.rating import Line
from accounting.domain.tokens import COUNT_LIMIT, COUNT_NAMES, TokenCounts, checked
from accounting.domain.usage import Use

NAMES = {"provider", "model", "at", "usage", "context", "book"}
CONTEXT = ("processing", "service_tier", "speed", "region", "route")
REQUESTS = "requests"
#: A question is about what was used: what it does not name was not used, unlike in a log.
_TOTALS = ("input_tokens", "output_tokens")


class BadQuestionError(DomainError):
    """A question lacks something or holds something nobody knows."""

    code = "bad_question"


class UnknownBookError(DomainError):
    """A question names a price book that the organization has not."""

    code = "unknown_book"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What somebody would pay. book '': the organization's chain."""

    use: Use
    at: datetime
    requests: int = 1
    book: str = ""


def question_from(values: Any) -> Question:
    """The question in a JSON object.

    Raises BadQuestionError, BadCountError or BadMomentError naming the first field that is wrong.
    A usage nobody knows becomes another unit, which stays unpriced where no rate has its name.
    """
    if not isinstance(values, Mapping):
        raise BadQuestionError("expected a JSON object")
    unknown = sorted(values.keys() - NAMES)
    if unknown:
        raise BadQuestionError(f"{unknown[0]!r} is unknown, expected {', '.join(sorted(NAMES))}")
    model = _text(values, "model")
    if not model:
        raise BadQuestionError("model is missing")
    counts, requests = _counts(values.get("usage"))
    return Question(
        use=Use(
            provider=_text(values, "provider"),
            request_model=model,
            counts=counts,
            **_context(values.get("context")),
        ),
        at=_moment(_text(values, "at")),
        requests=requests,
        book=_text(values, "book"),
    )


def answer(question: Question, rates: RateBook, *, project_id: int | None = None) -> dict[str, Any]:
    """The price as JSON values; amounts are plain decimal texts, None is unknown.

    project_id: whose own books come first, and whose alone of the projects' books may be asked. Raises
    UnknownBookError, and BadCountError or BadAmountError as rating does.
    """
    if question.book and not rates.has_book(question.book, project_id=project_id):
        raise UnknownBookError(f"there is no price book {question.book!r}")
    rating, lines = rates.explain(
        question.use,
        question.at,
        project_id=project_id,
        requests=question.requests,
        book=question.book or None,
    )
    credits = None
    if rating.cost is not None:
        credits = rates.credits(rating.cost, rating.currency, question.at)
    return {
        "cost": _amount(rating.cost),
        "currency": rating.currency or None,
        "credits": _amount(credits),
        "state": rating.state,
        "lines": [_line(line) for line in lines],
    }


def refusal(error: DomainError) -> dict[str, Any]:
    """The answer to a question that cannot be answered."""
    return {"error": {"code": error.code, "reason": str(error)}}


def _line(line: Line) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "unit": line.unit,
        "quantity": line.quantity,
        "unit_price": None if line.unit_price is None else plain(line.unit_price),
        "per": line.per,
        "amount": _amount(line.amount),
        "rate_id": line.rate_id,
    }
    if line.multiplier != 1:
        shown["multiplier"] = plain(line.multiplier)
    return shown


def _amount(picos: int | None) -> str | None:
    return None if picos is None else plain(from_picos(picos))


def _counts(usage: Any) -> tuple[TokenCounts, int]:
    if not isinstance(usage, Mapping):
        raise BadQuestionError("usage is no object")
    told = {name: _count(name, value) for name, value in usage.items()}
    requests = told.pop(REQUESTS, None)
    known: dict[str, Any] = {name: told.pop(name, None) for name in COUNT_NAMES}
    for name in _TOTALS:
        if known[name] is None and name not in usage:
            known[name] = 0
    writes = [known[f"cache_write_{ttl}_input_tokens"] for ttl in ("5m", "1h")]
    if known["cache_write_input_tokens"] is None and any(writes):
        known["cache_write_input_tokens"] = sum(n for n in writes if n)
    others = tuple((name, count) for name, count in sorted(told.items()) if count)
    return checked(TokenCounts(**known, other_units=others)), 1 if requests is None else requests


def _count(name: str, value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadCountError(f"{name} = {str(value)[:40]!r}, expected a whole number")
    if not 0 <= value < COUNT_LIMIT:
        raise BadCountError(f"{name} = {str(value)[:40]}, expected 0 to {COUNT_LIMIT - 1}")
    return value


def _context(context: Any) -> dict[str, Any]:
    if context is None:
        return {}
    if not isinstance(context, Mapping):
        raise BadQuestionError("context is no object")
    unknown = sorted(context.keys() - set(CONTEXT))
    if unknown:
        raise BadQuestionError(f"context {unknown[0]!r} is unknown, expected {', '.join(CONTEXT)}")
    return {name: _text(context, name) for name in context}


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadQuestionError(f"{name} = {str(value)[:40]!r}, expected a text")
    return value.strip()


def _moment(written: str) -> datetime:
    if not written:
        raise BadMomentError("at is missing: expected ISO 8601 with an offset")
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        raise BadMomentError(f"at = {written[:40]!r}, expected ISO 8601 with an offset") from None
    return checked_moment(moment)
