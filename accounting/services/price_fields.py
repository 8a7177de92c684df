"""Single fields of a price table as people write them, each read strictly or refused by name."""

from collections.abc import Collection, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from accounting.domain.currencies import checked_currency
from accounting.domain.errors import BadMomentError, BadRateError
from accounting.domain.money import amount
from accounting.domain.naming import provider_id
from accounting.domain.periods import checked_moment, day_of, day_start
from accounting.domain.rates import BEGINNING, EVERY_DAY, TIER_MODES, Tiers, Window, conditions_of
from accounting.domain.units import UNITS, unit_named

CONDITIONS = ("service_tier", "processing", "region", "speed", "route")
WINDOW = ("window_zone", "window_from", "window_to", "window_weekdays")
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MATCH_NAMES = {
    "provider",
    "model",
    "unit",
    "from",
    "to",
    "input_gt",
    "priority",
    "note",
    "source",
    "window",
    "conditions",
    *CONDITIONS,
    *WINDOW,
}
ANY = "*"
LONGEST = 200


def only(row: Mapping[str, Any], known: Collection[str], what: str) -> None:
    """Refuse names nobody knows: a misspelt condition would price what it should not."""
    unknown = sorted(row.keys() - set(known))
    if unknown:
        raise BadRateError(f"{what} has no {unknown[0]!r}, expected {', '.join(sorted(known))}")


def text(row: Mapping[str, Any], name: str, *, needed: bool = False, longest: int = LONGEST) -> str:
    """A text without spaces around it; '' where it is missing or null."""
    value = row.get(name)
    if value is None or value == "":
        if needed:
            raise BadRateError(f"{name} is missing")
        return ""
    if not isinstance(value, str):
        raise BadRateError(f"{name} = {value!r}, expected a text")
    if "\0" in value:
        raise BadRateError(f"{name} holds a NUL character")
    if len(value) > longest:
        raise BadRateError(f"{name} is longer than {longest} characters")
    return value.strip()


def currency(
    row: Mapping[str, Any], name: str, *, needed: bool = False, kinds: Collection[str] = ()
) -> str:
    """A currency's code in capitals; '' where it is missing. kinds: credit kinds that may stand for one."""
    code = text(row, name, needed=needed, longest=12)
    return checked_currency(code, kinds) if code else ""


def price(row: Mapping[str, Any], name: str) -> Decimal:
    """A non-negative decimal number, digit for digit."""
    return amount(text(row, name, needed=True))


def positive(row: Mapping[str, Any], name: str) -> Decimal:
    """A decimal number above 0."""
    value = price(row, name)
    if not value:
        raise BadRateError(f"{name} = 0, expected more")
    return value


def count(row: Mapping[str, Any], name: str) -> int | None:
    """A whole number, or None where it is missing."""
    digits = text(row, name)
    if not digits:
        return None
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
        raise BadRateError(f"{name} = {digits[:40]!r}, expected a whole number")
    return int(digits)


def moment(row: Mapping[str, Any], name: str, zone: ZoneInfo) -> datetime | None:
    """An instant with an offset, or the local midnight of a date; None where it is missing."""
    written = text(row, name)
    if not written:
        return None
    day = _date(written)
    if day is not None:
        return local_midnight(day, zone)
    try:
        return checked_moment(datetime.fromisoformat(written))
    except BadMomentError:
        raise
    except ValueError:
        raise BadRateError(f"{name} = {written[:40]!r}, expected an ISO 8601 date") from None


def midnight(row: Mapping[str, Any], name: str, zone: ZoneInfo) -> datetime:
    """The local midnight at which the day of a date or an instant begins."""
    day = _date(text(row, name, needed=True))
    if day is None:
        instant = moment(row, name, zone)
        day = day_of(instant, zone) if instant else date.min
    return local_midnight(day, zone)


def local_midnight(day: date, zone: ZoneInfo) -> datetime:
    """The first instant of a local day; of the books' first day, the instant they begin.

    Raises BadMomentError outside 2020 to 2099.
    """
    if day == BEGINNING.date():
        return max(day_start(day, zone), BEGINNING)
    return checked_moment(day_start(day, zone))


def unit(row: Mapping[str, Any]) -> str:
    """The code of the unit."""
    name = text(row, "unit", needed=True)
    code = unit_named(name)
    if code is None:
        raise BadRateError(f"unit = {name[:40]!r}, expected one of {', '.join(UNITS)}")
    return code


def match(row: Mapping[str, Any], unit_code: str, zone: ZoneInfo) -> dict[str, Any]:
    """When and to what a row applies, as the fields of a MatchRow. zone: of dates without a time."""
    start = moment(row, "from", zone)
    if start is None:
        raise BadRateError("from is missing")
    provider, model = text(row, "provider", longest=64), text(row, "model")
    conditions = row.get("conditions") or {}
    if not isinstance(conditions, Mapping):
        raise BadRateError("conditions is no object")
    only(conditions, CONDITIONS, "conditions")
    return {
        "provider": "" if provider == ANY else provider_id(provider),
        "model": "" if model == ANY else model,
        "unit": unit_code,
        "effective_from": start,
        "effective_to": moment(row, "to", zone),
        "input_gt": count(row, "input_gt"),
        "conditions": conditions_of(
            {name: text(row, name) or text(conditions, name) for name in CONDITIONS}
        ),
        "window": _window(row),
        "priority": count(row, "priority") or 0,
        "source": text(row, "source", longest=100),
        "note": text(row, "note", longest=1_000),
    }


def tiers(row: Mapping[str, Any]) -> Tiers | None:
    """Tiers by quantity: tier_mode, and tiers as [{above, price}] or as text like 1000:2; 5000:1."""
    mode, given = text(row, "tier_mode").lower(), row.get("tiers")
    if not mode and not given:
        return None
    if mode not in TIER_MODES:
        raise BadRateError(f"tier_mode = {mode!r}, expected {' or '.join(TIER_MODES)}")
    if isinstance(given, str):
        pairs = [step.partition(":") for step in given.split(";") if step.strip()]
        given = [{"above": above.strip(), "price": price.strip()} for above, _, price in pairs]
    if not isinstance(given, list) or not all(isinstance(step, Mapping) for step in given):
        raise BadRateError("tiers is no list of {above, price}")
    steps = []
    for step in given:
        only(step, ("above", "price"), "a tier")
        steps.append((count(step, "above") or 0, price(step, "price")))
    return Tiers(mode=mode, steps=tuple(steps))


def _window(row: Mapping[str, Any]) -> Window | None:
    """A window written as an object {zone, from, to, weekdays} or with window_ before each name."""
    nested = row.get("window") or {}
    if not isinstance(nested, Mapping):
        raise BadRateError("window is no object")
    only(nested, [name.removeprefix("window_") for name in WINDOW], "window")
    given = {name: row.get(name) or nested.get(name.removeprefix("window_")) for name in WINDOW}
    if not any(given.values()):
        return None
    return Window(
        zone=text(given, "window_zone", needed=True),
        start=_clock(given, "window_from"),
        end=_clock(given, "window_to"),
        weekdays=_weekdays(given["window_weekdays"]),
    )


def _clock(row: Mapping[str, Any], name: str) -> time:
    written = text(row, name, needed=True)
    if written == "24:00":
        return time()
    try:
        return time.fromisoformat(written).replace(tzinfo=None)
    except ValueError:
        raise BadRateError(f"{name} = {written[:40]!r}, expected a time like 09:30") from None


def _weekdays(written: Any) -> int:
    """Weekdays as bits, Monday = 1: from a list or a text of names, ranges (mon-fri) or 1 to 7."""
    if not written:
        return EVERY_DAY
    words = written if isinstance(written, list) else str(written).replace(";", ",").split(",")
    bits = 0
    for word in words:
        first, dash, last = str(word).strip().lower().partition("-")
        start = _weekday(first)
        end = _weekday(last) if dash else start
        if end < start:
            raise BadRateError(f"weekdays {word!r} run backwards")
        bits |= sum(1 << day for day in range(start, end + 1))
    return bits


def _weekday(word: str) -> int:
    word = word.strip()
    if word.isdigit() and 1 <= int(word) <= 7:
        return int(word) - 1
    if word[:3] in WEEKDAYS:
        return WEEKDAYS.index(word[:3])
    raise BadRateError(f"{word[:20]!r} is no weekday, expected mon to sun or 1 to 7")


def _date(written: str) -> date | None:
    try:
        return date.fromisoformat(written) if len(written) == 10 else None
    except ValueError:
        return None
