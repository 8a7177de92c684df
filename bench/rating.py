"""Measures what rating costs in the import path, with the built-in list loaded.

    python -m bench.rating [EVENTS] [ROUNDS]

Reads the same lines as an import does (line -> record -> key) three times: as they are, with
`RateBook.rate` for each record, and with the whole charge (money in the organization's currency and
credits too). Prints the least CPU time per event of each, and the ratio to the loop without rating.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from time import process_time_ns
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")
django.setup()

from accounting.domain.conversions import Conversions  # noqa: E402
from accounting.domain.naming import dedupe_key  # noqa: E402
from accounting.domain.ratebook import RateBook  # noqa: E402
from accounting.domain.rates import BEGINNING, Conversion  # noqa: E402
from accounting.domain.shelves import Shelf  # noqa: E402
from accounting.domain.usage import UsageRecord  # noqa: E402
from accounting.services.charges import charge  # noqa: E402
from bench.check_prices import listed_shelf  # noqa: E402
from ingest.formats.base import Counted, Item, Options  # noqa: E402
from ingest.formats.native import FORMAT  # noqa: E402

MODELS = (
    ("anthropic", "claude-sonnet-4-5-20250929"),
    ("openai", "gpt-5-mini"),
    ("openai", "gpt-5.4"),
    ("google", "gemini-2.5-pro"),
    ("deepseek", "deepseek-chat"),
    ("aws", "us.anthropic.claude-haiku-4-5-20251001-v1:0"),
)
START = datetime(2026, 10, 1, tzinfo=UTC)
LIMIT_US = 3.0


def main() -> int:
    """Print the figures; exit 1 when rating costs more than 3 µs per event."""
    events, rounds = (int(value) for value in [*sys.argv[1:], "20000", "9"][:2])
    shelf = listed_shelf()
    rates = RateBook(1, [shelf], conversions())
    lines = [line_of(number) for number in range(events)]
    loops: dict[str, Callable[[UsageRecord], Any]] = {
        "without rating": lambda _record: None,
        "with rate()": lambda record: rates.rate(record.use, record.place.started_at),
        "with charge()": lambda record: charge(record, rates),
    }
    best: dict[str, float] = {}
    for _ in range(rounds):  # in turns, so that a busy moment of the machine meets all three
        for name, act in loops.items():
            taken = cpu_us(lines, act)
            best[name] = min(best.get(name, taken), taken)
    base = best["without rating"]
    print(f"{events} events, {models_in(shelf)} models in the list")
    for name, taken in best.items():
        print(f"{name:15} {taken:6.2f} µs per event, +{taken - base:.2f} µs, × {taken / base:.3f}")
    return 0 if best["with rate()"] - base <= LIMIT_US else 1


def cpu_us(lines: Sequence[bytes], act: Callable[[UsageRecord], Any]) -> float:
    """CPU µs per line of reading, keying and doing something with each record."""
    start = process_time_ns()
    for record in records_of(lines):
        dedupe_key(1, record.identity)
        act(record)
    return (process_time_ns() - start) / len(lines) / 1_000


def records_of(lines: Sequence[bytes]) -> Iterator[UsageRecord]:
    """The records of lines of Tallybook's own format."""
    items = (Item(line=number, offset=0, body=line) for number, line in enumerate(lines, start=1))
    for outcome in FORMAT.read(items, Options(assumed_time=START), FORMAT.new_state()):
        if not isinstance(outcome, Counted):
            raise TypeError(f"a line of the benchmark was not read: {outcome}")
        yield from outcome.records


def line_of(number: int) -> bytes:
    """One event as a gateway would push it; two of three read from a cache."""
    provider, model = MODELS[number % len(MODELS)]
    fresh = 1_000 + number % 4_000
    event = {
        "id": f"request-{number}",
        "started_at": (START + timedelta(seconds=7 * number)).isoformat(),
        "provider": provider,
        "model": model,
        "input_tokens": fresh + 20_000,
        "cache_read_input_tokens": 20_000 if number % 3 else 0,
        "output_tokens": 200 + number % 900,
    }
    if number % 5 == 0:
        event["reasoning_output_tokens"] = 100
    return json.dumps(event).encode()


def conversions() -> Conversions:
    """An organization in CNY with credits of 0.001 CNY."""
    fx = Conversion(
        id=1, what="USD", currency="CNY", price=Decimal("7.1"), effective_from=BEGINNING
    )
    credit = Conversion(
        id=2, what="credit", currency="CNY", price=Decimal("0.001"), effective_from=BEGINNING
    )
    return Conversions(currency="CNY", kind="credit", credit=[credit], fx=[fx])


def models_in(shelf: Shelf) -> int:
    """How many models have a price."""
    return len(shelf.rates)


if __name__ == "__main__":
    sys.exit(main())
