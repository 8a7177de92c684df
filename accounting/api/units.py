"""The parameters `currency` and `unit`: in what an answer tells the cost as one figure."""

from collections.abc import Mapping, Sequence

from drf_spectacular.utils import OpenApiParameter

from accounting.api.pagination import single
from accounting.domain.currencies import UnknownCurrencyError, checked_currency
from accounting.queries.filters import FilterError
from accounting.queries.units import CREDITS

CURRENCY, UNIT = "currency", "unit"
UNIT_PARAMETER = OpenApiParameter(
    UNIT, enum=[CREDITS], description="The amount in credits instead of money."
)
UNIT_PARAMETERS = [
    OpenApiParameter(
        CURRENCY,
        {"type": "string", "pattern": "^[A-Z]{3}$"},
        description="The currency of `amount`. In the organization's own, which is the default,"
        " every charge is converted at the rate of its day; in another one only what was charged"
        " in it counts, and `amount_is_whole` says whether that is all.",
    ),
    UNIT_PARAMETER,
]
ONE_CURRENCY_PARAMETER = OpenApiParameter(
    CURRENCY, {"type": "string", "pattern": "^[A-Z]{3}$"}, description="Only this currency."
)


def unit_of(params: Mapping[str, Sequence[str]], own: str) -> str:
    """CREDITS or a currency, the organization's own by default. Raises FilterError."""
    is_credits, currency = wants_credits(params), currency_in(params)
    if is_credits and currency:
        raise FilterError("currency_and_unit", "give currency or unit, not both", UNIT)
    return CREDITS if is_credits else currency or own


def wants_credits(params: Mapping[str, Sequence[str]]) -> bool:
    """Whether unit asks for credits. Raises FilterError for another word."""
    unit = single(params, UNIT)
    if unit not in {"", CREDITS}:
        raise FilterError("unknown_unit", f"{UNIT}={unit[:40]!r}, expected {CREDITS}", UNIT)
    return bool(unit)


def currency_in(params: Mapping[str, Sequence[str]]) -> str:
    """The currency that is asked for, '' for none. Raises FilterError."""
    currency = single(params, CURRENCY)
    if not currency:
        return ""
    try:
        return checked_currency(currency)
    except UnknownCurrencyError as error:
        raise FilterError(error.code, str(error), CURRENCY) from None
