"""Where a month, or another period, will end, for each currency apart or in credits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal

from accounting.domain.forecast import NO_CREDIT_RATE, RUN_RATE, Forecast, run_rate
from accounting.domain.forecast_band import FEWEST_DAYS
from accounting.domain.forecast_period import Flow, projected
from accounting.domain.money import EXACT
from accounting.domain.periods import day_of, day_start, next_month
from accounting.domain.ranges import months_later
from accounting.domain.ratebook import RateBook
from accounting.queries.filters import UsageFilter
from accounting.queries.grouping import earliest_day
from accounting.queries.prices import loaded_rates
from accounting.queries.projection_flows import kept_flows
from accounting.queries.projection_history import (
    ModelDay,
    daily,
    days_between,
    model_days,
    spent_between,
)
from accounting.queries.projection_hits import NEVER_ASKED, Hits, past_hits
from accounting.queries.projection_prices import PRICE_DAYS, Ahead, worth
from accounting.queries.reading import check_reading

#: A projection rests on at most sixteen weeks.
HISTORY_DAYS = 112
PERIODS = ("month", "quarter", "year")
METRICS = ("cost", "credits")
_BEGINNING = date(2020, 1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """One currency's projected period: spent until now, and the forecast of the whole.

    metric: 'cost', or 'credits', of which currency then names the kind. hits: how the projections
    that were stored before did, of the periods that ended.
    """

    currency: str
    start: date
    end: date  # exclusive
    spent: Decimal
    forecast: Forecast
    metric: str = "cost"
    hits: Hits = field(default=NEVER_ASKED)


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthAhead:
    """The month that is running. spent: the cost of each day from its first to today, by currency."""

    projections: tuple[Projection, ...]
    spent: Mapping[str, tuple[Decimal, ...]]


def month_projections(wanted: UsageFilter) -> tuple[Projection, ...]:
    """The month that holds the filter's now, by currency; one without forecast while none is used.

    As many statements as projections.
    """
    return month_ahead(wanted).projections


def month_ahead(wanted: UsageFilter) -> MonthAhead:
    """The same, and what its days cost until now. As many statements as projections."""
    asked = _asked(wanted, *period_of("month", day_of(wanted.now, wanted.zone)))
    days = days_between(asked.start, asked.today + timedelta(days=1))
    spent = {
        currency: daily(asked.days, currency, "cost")
        for currency in {one.currency for one in asked.days if one.day >= asked.start} - {""}
    }
    return MonthAhead(
        projections=asked.costs(),
        spent={
            currency: tuple(amounts.get(day, Decimal(0)) for day in days)
            for currency, amounts in spent.items()
        },
    )


def period_of(name: str, day: date) -> tuple[date, date]:
    """The calendar month, quarter or year that holds a day; the end is exclusive."""
    month = day.replace(day=1)
    if name == "month":
        return month, next_month(month)
    if name == "quarter":
        start = months_later(month, -((month.month - 1) % 3))
        return start, months_later(start, 3)
    return date(day.year, 1, 1), date(day.year + 1, 1, 1)


def projections(
    wanted: UsageFilter, start: date, end: date, *, metric: str = "cost"
) -> tuple[Projection, ...]:
    """The period from start until before end, which holds the filter's now, by currency.

    The range of the filter plays no part, its conditions do. Days without usage count as 0 from the
    first day that has some. One statement, two while the books are young; with fourteen whole days of
    history two more, for prices and for what was projected before.
    """
    asked = _asked(wanted, start, end)
    return asked.credits() if metric == "credits" else asked.costs()


def check_history(wanted: UsageFilter) -> None:
    """Raise FilterError where the history of the running month has too many requests to read."""
    _history(wanted, period_of("month", day_of(wanted.now, wanted.zone))[0])


def _history(wanted: UsageFilter, start: date) -> UsageFilter:
    """What a period from start on is projected by. Raises FilterError where it is too much to read."""
    since = min(start, day_of(wanted.now, wanted.zone) - timedelta(days=HISTORY_DAYS))
    history = replace(
        wanted,
        bucket="day",
        starts_at=day_start(since, wanted.zone),
        ends_at=wanted.now,  # so that a look back at a day does not know that day's usage yet
    )
    check_reading(history)
    return history


def _asked(wanted: UsageFilter, start: date, end: date) -> "_Asked":
    today = day_of(wanted.now, wanted.zone)
    history = _history(wanted, start)
    since = day_of(history.starts_at, wanted.zone)
    days = model_days(history)
    # Only books that began later than the history does have days of no usage before them.
    is_old = bool(days) and days[0].day == since
    if is_old:
        earliest = since
    else:
        everything = replace(history, starts_at=day_start(_BEGINNING, wanted.zone))
        check_reading(everything)
        earliest = earliest_day(everything) or today
    return _Asked(wanted, start, end, today, earliest, days)


@dataclass(frozen=True, slots=True)
class _Asked:
    """One period's question with the days that answer it."""

    wanted: UsageFilter
    start: date
    end: date
    today: date
    earliest: date
    days: Sequence[ModelDay]

    def costs(self) -> tuple[Projection, ...]:
        """One projection for each currency that was used in the period or lately, or will be."""
        flows = self._flows()
        hits = self._hits("cost") if flows else {}
        lately = min(self.start, self.today - timedelta(days=PRICE_DAYS)) if flows else self.start
        used = {one.currency for one in self.days if one.currency}
        shown = {one.currency for one in self.days if one.currency and one.day >= lately}
        return tuple(
            self._projection(
                currency,
                daily(self.days, currency, "cost"),
                flows.get(currency, ()),
                hits.get(currency, NEVER_ASKED),
            )
            for currency in sorted(shown | (flows.keys() - used)) or [self.wanted.currency]
        )

    def credits(self) -> tuple[Projection, ...]:
        """All currencies together, in the organization's credits at the rates of each day."""
        book = loaded_rates(self.wanted.organization_id)
        kind = book.conversions.kind
        used = {one.currency for one in self.days if one.currency}
        unknown = {
            currency
            for currency in used
            if book.conversions.path(currency, kind.upper(), self.wanted.now) is None
        }
        flows = [
            flow
            for currency, found in self._flows(book).items()
            for flow in worth(found, currency, kind.upper(), self._ahead(), book.conversions)
        ]
        hits = self._hits("credits").get(kind, NEVER_ASKED) if flows else NEVER_ASKED
        found = self._projection(kind, daily(self.days, None, "credits"), flows, hits)
        if unknown and unknown == used:
            nothing = Forecast(method=RUN_RATE, history_days=0, reason=NO_CREDIT_RATE)
            found = replace(found, forecast=nothing)
        elif unknown:
            found = replace(found, forecast=replace(found.forecast, reason=NO_CREDIT_RATE))
        return (replace(found, metric="credits"),)

    def _projection(
        self, currency: str, amounts: Mapping[date, Decimal], flows: Sequence[Flow], hits: Hits
    ) -> Projection:
        over = spent_between(amounts, self.start, self.today)
        today = amounts.get(self.today, Decimal(0))
        spent = EXACT.add(over, today)
        whole = max((_days_since_use(flow) for flow in flows), default=0)
        if whole >= FEWEST_DAYS:
            found = projected(
                [replace(flow, counts=flow.counts[-whole:]) for flow in flows],
                first=self.today - timedelta(days=whole),
                over=over,
                today=today,
                kept=hits.kept,
            )
        else:
            begun = max(self.start, self.earliest)
            found = run_rate(
                [amounts.get(day, Decimal(0)) for day in days_between(begun, self.today)],
                spent=spent,
                days_left=(self.end - self.today).days,
            )
        return Projection(
            currency=currency,
            start=self.start,
            end=self.end,
            spent=spent,
            forecast=found,
            hits=hits,
        )

    def _ahead(self) -> Ahead:
        first = max(self.earliest, self.today - timedelta(days=HISTORY_DAYS))
        return Ahead(first=first, today=self.today, end=self.end, zone=self.wanted.zone)

    def _flows(self, book: RateBook | None = None) -> Mapping[str, Sequence[Flow]]:
        """Nothing while there is too little history: prices are not even read then."""
        ahead = self._ahead()
        if ahead.length < FEWEST_DAYS:
            return {}
        book = book or loaded_rates(self.wanted.organization_id)
        return kept_flows(self.days, ahead, book)

    def _hits(self, metric: str) -> Mapping[str, Hits]:
        return past_hits(self.wanted, metric, (self.start, self.end), before=self.today)


def _days_since_use(flow: Flow) -> int:
    """Whole days since the first that counted anything, that one too."""
    unused = next((day for day, count in enumerate(flow.counts) if count), len(flow.counts))
    return len(flow.counts) - unused
