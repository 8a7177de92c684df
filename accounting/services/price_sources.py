"""Any file of prices: our own tables, or one of the feeds that other projects publish."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from accounting.services import litellm_prices, newapi_prices, openrouter_prices
from accounting.services.price_feeds import Collected
from accounting.services.price_files import BookRow, PriceTable, read_table

type Read = Callable[[Any, Collected], None]
#: Tried in order; our own JSON is recognised by its names before any of them.
FEEDS: tuple[tuple[str, Callable[[Any], bool], Read], ...] = (
    (litellm_prices.NAME, litellm_prices.is_model_map, litellm_prices.read_model_map),
    (openrouter_prices.NAME, openrouter_prices.is_models_list, openrouter_prices.read_models_list),
    (newapi_prices.NAME, newapi_prices.is_ratios, newapi_prices.read_ratios),
)
_OWN = {"book", "rates", "multipliers", "credit_rates", "fx_rates", "aliases"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a file does not say itself. start: from when a feed's prices hold.

    zone: of days without a time. currency, credit_kind: of credit rates that name none. kinds: those
    that are known. book: the code of the book that a feed goes into, '' is its own name.
    """

    start: datetime
    zone: ZoneInfo
    currency: str
    credit_kind: str
    kinds: tuple[str, ...] = ()
    book: str = ""


def read_source(content: bytes, reading: Reading) -> PriceTable:
    """The rows of a file of prices. Raises BadRateError where it is no list of prices at all."""
    found = _json(content)
    if not _is_own(found):
        for name, recognises, read in FEEDS:
            if recognises(found):
                collected = Collected(name, reading.start)
                read(found, collected)
                return _table(name, collected, reading)
    return read_table(
        content,
        zone=reading.zone,
        currency=reading.currency,
        credit_kind=reading.credit_kind,
        kinds=reading.kinds,
    )


def _table(name: str, collected: Collected, reading: Reading) -> PriceTable:
    code = reading.book or name
    books = [
        (
            BookRow(
                code=code if currency == "USD" else f"{code}-{currency.lower()}",
                currency=currency,
                kind="" if reading.book else "list",
            ),
            tuple(rows),
        )
        for currency, rows in collected.rows.items()
    ]
    return PriceTable(books=tuple(books), left_out=collected.left_out)


def _json(content: bytes) -> Any:
    """The file as JSON with numbers as text; None where it is none, which read_table explains."""
    try:
        return json.loads(content.decode("utf-8-sig"), parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return None


def _is_own(found: Any) -> bool:
    documents = found if isinstance(found, list) else [found]
    return all(isinstance(one, Mapping) and _OWN & one.keys() for one in documents)
