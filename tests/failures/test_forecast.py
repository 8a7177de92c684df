"""A projection neither explodes on the first day, nor thins what is known, nor multiplies copies."""

import json
from datetime import datetime
from decimal import Decimal

from accounting.queries.filters import usage_filter
from accounting.queries.projection import month_projections
from accounting.services.pricebooks import import_table
from tests.failures.logs import event
from tests.ingest.conftest import ndjson

#: A million output tokens for a dollar, so that an event costs what it says.
TABLE = {
    "book": {"code": "own", "currency": "USD"},
    "rates": [
        {"provider": "testing", "model": "opal", "unit": unit, "price": price, "from": "2026-01-01"}
        for unit, price in (("input", "0"), ("output", "1"))
    ],
}


def spent(dollars, moment, name=""):
    tokens = int(Decimal(dollars) * 1_000_000)
    return event("opal", id=name or moment, input_tokens=0, output_tokens=tokens) | {
        "started_at": moment
    }


def month(books, now):
    (found,) = month_projections(usage_filter({}, books, datetime.fromisoformat(now)))
    return found


def read(books, ingest, path):
    import_table(json.dumps(TABLE).encode(), organization=books)
    _, code = ingest(path)
    assert code == 0


def test_b275_ten_minutes_into_a_month_there_is_not_enough_data(books, ingest, log):
    read(books, ingest, log("usage.jsonl", ndjson(spent("1", "2026-03-01T00:05:00Z"))))
    found = month(books, "2026-03-01T00:10:00Z")
    assert found.spent == 1
    assert (found.forecast.expected, found.forecast.reason) == (None, "not_enough_data")


def test_b276_two_days_of_ten_are_ten_a_day(books, ingest, log):
    days = [spent("10", f"2026-04-0{day}T12:00:00Z") for day in (1, 2)]
    read(books, ingest, log("usage.jsonl", ndjson(*days)))
    assert month(books, "2026-04-03T00:00:00Z").forecast.expected == 300


def test_b278_copies_of_an_event_are_not_projected(books, ingest, log):
    # 402 requests of 0.40, told 2,453 times, on the first nine days of thirty.
    lines = [
        spent("0.40", f"2026-04-{n % 402 % 9 + 1:02}T12:00:00Z", name=f"m{n % 402}")
        for n in range(2_453)
    ]
    read(books, ingest, log("usage.jsonl", ndjson(*lines)))
    found = month(books, "2026-04-10T00:00:00Z")
    assert found.spent == Decimal("160.8")
    assert found.forecast.expected == 536
