"""Runs cases of known costs through the code behind `manage.py quote` and prints `N of N`.

    python -m bench.check_prices CASES.jsonl [--cards CARDS.json] [--cards-only]

Prices come from the built-in list; for models it does not have, from a file of price cards. A case
that states the provider's own rule is measured against that rule.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, time
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

from accounting.domain.conversions import Conversions
from accounting.domain.credits import Mix, Prices, tokens_at_mix, tokens_for
from accounting.domain.money import picos, plain
from accounting.domain.quotes import answer, question_from
from accounting.domain.ratebook import RateBook
from accounting.domain.rates import BEGINNING, Book, Conversion, Rate, Window, conditions_of
from accounting.domain.shelves import Alias, Shelf
from accounting.domain.units import unit_named
from accounting.services.listed_prices import price_list

USAGE = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_write_input_tokens",
    "cache_write_5m_tokens": "cache_write_5m_input_tokens",
    "cache_write_1h_tokens": "cache_write_1h_input_tokens",
    "input_audio_tokens": "input_audio_tokens",
    "cache_audio_read_tokens": "cache_read_audio_tokens",
    "output_audio_tokens": "output_audio_tokens",
    "input_image_tokens": "input_image_tokens",
    "output_image_tokens": "output_image_tokens",
    "output_reasoning_tokens": "reasoning_output_tokens",
    "output_citation_tokens": "output_citation_tokens",
    "web_searches": "web_search_requests",
}
LIST = Book(id=1, code="list", currency="USD", rank=(0,), own=False)
_ids = count(1)


def main() -> int:
    """Check every case; exit 1 when one differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--cards", type=Path)
    parser.add_argument("--cards-only", action="store_true", help="leave the built-in list out")
    options = parser.parse_args()
    cards = json.loads(options.cards.read_text()) if options.cards else {}
    carded = carded_book(cards)
    listed = carded if options.cards_only else listed_book()
    cases = [json.loads(line) for line in options.cases.read_text().splitlines() if line.strip()]
    right = 0
    for case in cases:
        wanted, found = wanted_of(case), found_of(case, listed, carded)
        right += wanted == found
        if wanted != found:
            print(f"{case['id']} ({case['category']}): {found}, expected {wanted}")
    print(f"{right} of {len(cases)}")
    return 0 if right == len(cases) else 1


def wanted_of(case: dict[str, Any]) -> dict[str, Any]:
    """What a case says is right."""
    if "expected_tokens_floor" in case:
        return dict(case["expected_tokens_floor"])
    if "expected_input_tokens_floor" in case:
        return {
            "input": case["expected_input_tokens_floor"],
            "output": case["expected_output_tokens"],
        }
    cost = (
        case.get("provider_rule_usd") or case.get("expected_cost_usd") or case.get("expected_cost")
    )
    wanted = {"cost": plain(Decimal(cost))}
    if "expected_credits" in case:
        wanted["credits"] = plain(Decimal(case["expected_credits"]))
    return wanted


def found_of(case: dict[str, Any], listed: RateBook, carded: RateBook) -> dict[str, Any]:
    """What we say."""
    if "usage" not in case:
        return tokens_of(case)
    rates = credit_book(case) if "credit_price" in case else listed
    question = {
        "provider": case["provider"],
        "model": case["model"],
        "at": case["timestamp"],
        "usage": {USAGE[name]: number for name, number in case["usage"].items()},
        "context": case.get("context") or {},
    }
    told = answer(question_from(question), rates)
    if told["state"] == "unpriced" and rates is listed:
        told = answer(question_from(question), carded)
    found = {"cost": told["cost"]}
    if "expected_credits" in case:
        found["credits"] = told["credits"]
    return found


def tokens_of(case: dict[str, Any]) -> dict[str, int | None]:
    """What credits buy, of each kind alone or at a mix."""
    prices = {name: Decimal(price) for name, price in case["rates_per_million"].items()}
    money = picos(Decimal(case["credits"]) * Decimal(case["credit_price_cny"]))
    if "cached_share" not in case:
        return {name: tokens_for(money, price) for name, price in prices.items()}
    mix = Mix(
        cached_share=Decimal(case["cached_share"]),
        output_per_input=Decimal(case["output_per_input"]),
    )
    bought = tokens_at_mix(money, Prices(**prices), mix)
    return {"input": bought.input_tokens, "output": bought.output_tokens} if bought else {}


def listed_book() -> RateBook:
    """The built-in list as a rate book, without a database."""
    return RateBook(1, [listed_shelf()], no_conversions())


def listed_shelf() -> Shelf:
    """The built-in list, without a database."""
    listed = price_list()
    rates = [
        Rate(
            id=next(_ids),
            book_id=1,
            provider=row.provider,
            model=row.model,
            unit=row.unit,
            price=row.price,
            per=row.per,
            effective_from=row.effective_from,
            effective_to=row.effective_to,
            input_gt=row.input_gt,
            conditions=row.conditions,
            window=row.window,
        )
        for row in listed.rows
    ]
    return Shelf(LIST, rates, (), listed.aliases)


def carded_book(cards: dict[str, Any]) -> RateBook:
    """The price cards of a file as a book."""
    return book_of([rate for name, card in cards.items() for rate in card_rates(name, card)])


def card_rates(name: str, card: dict[str, Any]) -> Iterator[Rate]:
    """A card's rates: dated entries follow each other, daily ones and variants stand beside them."""
    provider, _, model = name.partition("/")
    groups: dict[Any, list[dict[str, Any]]] = {}
    for entry in (*card["prices"], *card["variants"]):
        daily = "daily_from" in (entry["constraint"] or {})
        group = (conditions_of(entry.get("when", {})), window_of(entry) if daily else None)
        groups.setdefault(group, []).append(entry)
    latest = max(start_of(entry) for entry in card["prices"])
    for (conditions, window), entries in groups.items():
        starts = [latest if window else start_of(entry) for entry in entries]
        for entry, start in zip(entries, starts, strict=True):
            end = min((other for other in starts if other > start), default=None)
            for usage, rate in entry["rates"].items():
                for input_gt, price in bands_of(rate["price"]):
                    yield Rate(
                        id=next(_ids),
                        book_id=1,
                        provider=provider,
                        model=model,
                        unit=unit_named(usage) or usage,
                        price=Decimal(price),
                        per=rate["per"],
                        effective_from=start,
                        effective_to=end,
                        input_gt=input_gt,
                        conditions=conditions,
                        window=window,
                    )


def bands_of(price: str | dict[str, Any]) -> list[tuple[int | None, str]]:
    """A price, or the prices of its context bands, with the input each is above."""
    if isinstance(price, str):
        return [(None, price)]
    tiers = [(tier["above_exclusive"], tier["price"]) for tier in price["tiers"]]
    return [(None, price["base"]), *tiers]


def window_of(entry: dict[str, Any]) -> Window:
    """A card's daily window, in UTC; weekdays it cannot say."""
    start, end = (
        time.fromisoformat(entry["constraint"][f"daily_{edge}"]) for edge in ("from", "to")
    )
    return Window(zone="UTC", start=start.replace(tzinfo=None), end=end.replace(tzinfo=None))


def start_of(entry: dict[str, Any]) -> datetime:
    """When a card's entry begins."""
    day = (entry["constraint"] or {}).get("effective_from_utc_date")
    return datetime.fromisoformat(f"{day}T00:00:00+00:00") if day else BEGINNING


def credit_book(case: dict[str, Any]) -> RateBook:
    """The prices and the credit rate that a case brings itself."""
    rates = [
        Rate(
            id=next(_ids),
            book_id=1,
            provider=case["provider"],
            model=case["model"],
            unit=unit_named(name) or name,
            price=Decimal(rate["price"]),
            per=rate["per"],
            effective_from=BEGINNING,
        )
        for name, rate in case["rates"].items()
    ]
    credit = Conversion(
        id=1,
        what="credit",
        currency=case["currency"],
        price=Decimal(case["credit_price"]),
        effective_from=BEGINNING,
    )
    return book_of(rates, currency=case["currency"], credit=[credit])


def book_of(
    rates: Iterable[Rate],
    aliases: Iterable[Alias] = (),
    *,
    currency: str = "USD",
    credit: Iterable[Conversion] = (),
) -> RateBook:
    """A rate book of one list."""
    book = replace(LIST, currency=currency)
    conversions = Conversions(currency=currency, kind="credit", credit=credit, fx=())
    return RateBook(1, [Shelf(book, rates, (), aliases)], conversions)


def no_conversions() -> Conversions:
    """US dollars and no credits."""
    return Conversions(currency="USD", kind="credit", credit=(), fx=())


if __name__ == "__main__":
    sys.exit(main())
