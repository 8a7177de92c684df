"""What a repricing changes, added up: by month, model and cause, old and new beside each other."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple, Self

from accounting.domain.money import EXACT, from_picos, plain

AMOUNTS = ("cost", "cost_base", "credits")


class DifferenceKey(NamedTuple):
    """What differences are added up by.

    month: the first local month day of the events, as 2026-11. booked_in: the month in which a
    correction is booked because theirs is closed, '' where the events themselves change.
    """

    month: str
    provider: str
    model: str
    cause: str
    currency: str
    booked_in: str = ""


@dataclass(slots=True, kw_only=True)
class Difference:
    """Sums in picos, None while no event of the row has that amount: unknown, not 0."""

    events: int = 0
    old: dict[str, int | None] = field(default_factory=dict)
    new: dict[str, int | None] = field(default_factory=dict)

    def add(self, side: str, amounts: Mapping[str, int | None]) -> None:
        """Add one event's amounts to the side 'old' or 'new'."""
        sums = self.old if side == "old" else self.new
        for name in AMOUNTS:
            sums[name] = _sum(sums.get(name), amounts[name])


@dataclass(slots=True, kw_only=True)
class Differences:
    """Everything a run found.

    events: how many were rated again; changed: how many of them come to another charge; left: those
    of closed months whose new cost is unknown, so that no difference can be booked. unpriced: what
    stays without a price, by (month, provider, model): events and tokens.
    """

    events: int = 0
    changed: int = 0
    left: int = 0
    rows: dict[DifferenceKey, Difference] = field(default_factory=dict)
    unpriced: dict[tuple[str, str, str], tuple[int, int]] = field(default_factory=dict)

    def row(self, key: DifferenceKey) -> Difference:
        """The row of a key, made where there is none."""
        return self.rows.setdefault(key, Difference())

    def add_unpriced(self, month: str, provider: str, model: str, tokens: int) -> None:
        """Note an event that has no price, or not for everything."""
        events, before = self.unpriced.get((month, provider, model), (0, 0))
        self.unpriced[month, provider, model] = (events + 1, before + tokens)

    def as_json(self) -> dict[str, Any]:
        """The differences as JSON values, in order; amounts are plain decimal texts."""
        return {
            "events": self.events,
            "changed": self.changed,
            "left": self.left,
            "rows": [_written(key, self.rows[key]) for key in sorted(self.rows)],
            "unpriced": [
                {
                    "month": month,
                    "provider": provider,
                    "model": model,
                    "events": events,
                    "tokens": tokens,
                }
                for (month, provider, model), (events, tokens) in sorted(self.unpriced.items())
            ],
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """What as_json wrote; of an empty mapping, nothing."""
        found = cls(**{name: values.get(name, 0) for name in ("events", "changed", "left")})
        for row in values.get("rows", ()):
            key = DifferenceKey(
                **{name: row[name] for name in ("month", "provider", "model", "cause", "currency")},
                booked_in=row["booked_in"] or "",
            )
            found.rows[key] = Difference(
                events=row["events"],
                old={name: _read(row[f"old_{name}"]) for name in AMOUNTS},
                new={name: _read(row[f"new_{name}"]) for name in AMOUNTS},
            )
        for row in values.get("unpriced", ()):
            place = (row["month"], row["provider"], row["model"])
            found.unpriced[place] = (row["events"], row["tokens"])
        return found


def _written(key: DifferenceKey, row: Difference) -> dict[str, Any]:
    return {
        "month": key.month,
        "provider": key.provider,
        "model": key.model,
        "cause": key.cause,
        "currency": key.currency,
        "booked_in": key.booked_in or None,
        "events": row.events,
        **{f"old_{name}": _text(row.old.get(name)) for name in AMOUNTS},
        **{f"new_{name}": _text(row.new.get(name)) for name in AMOUNTS},
        # What the sum of the books gains: an unknown amount is in no sum.
        **{
            f"difference_{name}": _text((row.new.get(name) or 0) - (row.old.get(name) or 0))
            for name in AMOUNTS
        },
    }


def _sum(one: int | None, two: int | None) -> int | None:
    if one is None or two is None:
        return two if one is None else one
    return one + two


def _text(value: int | None) -> str | None:
    return None if value is None else plain(from_picos(value))


def _read(text: str | None) -> int | None:
    # A sum may be larger than what one line of the books may hold.
    return None if text is None else int(Decimal(text).scaleb(12, EXACT))
