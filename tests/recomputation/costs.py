"""What rows cost by a price table in Tallybook's own form, recomputed: counts times dated prices."""

import json
from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

from tests.recomputation.rows import Row

PRICES = Path(__file__).with_name("prices.json")
#: Each unit falls back on the one behind it where a model has no price for it.
FALLBACKS = {
    "input.cache_read": "input",
    "input.cache_write.5m": "input",
    "input.cache_write.1h": "input.cache_write.5m",
}


class PriceTable:
    """A table's prices by model and unit, each with the day from which it holds."""

    def __init__(self, table: dict[str, Any]) -> None:
        self.currency = table["book"]["currency"]
        self.credit = Decimal(table["credit_rates"][0]["price"])
        self.rates: dict[tuple[str, str], list[tuple[str, Decimal]]] = defaultdict(list)
        self.models = {rate["model"] for rate in table["rates"]}
        for rate in table["rates"]:
            self.rates[rate["model"], rate["unit"]].append((rate["from"], Decimal(rate["price"])))

    @classmethod
    def of_file(cls, path: Path = PRICES) -> "PriceTable":
        """The table of a file."""
        return cls(json.loads(path.read_text()))

    def price(self, model: str, unit: str, day: str) -> Decimal:
        """The price of a million on a day."""
        known = sorted(self.rates[model, unit])
        held = [price for start, price in known if start <= day]
        return held[-1] if held else self.price(model, FALLBACKS[unit], day)

    def cost(self, row: Row) -> Decimal | None:
        """What a row is charged; None where its model is not in the table."""
        if row.model not in self.models:
            return None
        read, write, hour = row.read or 0, row.write or 0, row.write_1h or 0
        counts = {
            "input": (row.input or 0) - read - write,
            "input.cache_read": read,
            "input.cache_write.5m": write - hour,
            "input.cache_write.1h": hour,
            "output": row.output or 0,
        }
        with localcontext(prec=60):
            amounts = [
                count * self.price(row.model, unit, str(row.at)[:10])
                for unit, count in counts.items()
                if count
            ]
            return sum(amounts, Decimal(0)) / 1_000_000

    def costs_by_model(self, rows: Iterable[Row]) -> dict[tuple[str, str], Decimal]:
        """Model and currency -> what all its rows cost; models without a price are left out."""
        costs: dict[tuple[str, str], Decimal] = {}
        for row in rows:
            cost = self.cost(row)
            if cost is not None:
                key = row.model, self.currency
                costs[key] = costs.get(key, Decimal(0)) + cost
        return costs
