"""manage.py project: where the month, or another period, will end."""

import json
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounting.domain.forecast import NO_CREDIT_RATE, NOT_ENOUGH_DATA
from accounting.domain.forecast_band import FEWEST_DAYS
from accounting.domain.periods import day_of, day_start
from accounting.management.questions import (
    add_conditions,
    add_organization,
    filter_of,
    organization_of,
)
from accounting.queries.projection import METRICS, PERIODS, Projection, period_of, projections
from accounting.queries.writing import Written, written_projection
from accounting.services.projections import store

_WHY = {
    NOT_ENOUGH_DATA: "not enough data for a projection",
    NO_CREDIT_RATE: "no projection: no rate says how many credits that is",
}


class Command(BaseCommand):
    """Project the end of the month, for each currency apart, and keep what was projected."""

    help = "Project the end of the month, for each currency apart."

    def add_arguments(self, parser: CommandParser) -> None:
        """The day from which the period is looked at, and what is projected."""
        parser.add_argument(
            "--as-of",
            metavar="DAY",
            help="as it stood when this day began, which is not kept; default: now",
        )
        parser.add_argument("--period", choices=PERIODS, default=PERIODS[0], help="default: month")
        parser.add_argument("--metric", choices=METRICS, default=METRICS[0], help="default: cost")
        parser.add_argument("--json", action="store_true", help="one JSON object per currency")
        add_conditions(parser)
        add_organization(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print one line per currency. Exit 2 for a day that is none."""
        organization = organization_of(options)
        now = timezone.now()
        if options["as_of"]:
            now = day_start(_day(options["as_of"]), ZoneInfo(organization.time_zone))
        wanted = filter_of(options, organization, now)
        start, end = period_of(options["period"], day_of(wanted.now, wanted.zone))
        found = projections(wanted, start, end, metric=options["metric"])
        if not options["as_of"]:  # a look back knows of what was read since: it proves nothing
            store(wanted, found)
        for projection in found:
            written = written_projection(projection, now)
            self.stdout.write(
                json.dumps(written) if options["json"] else _sentence(projection, written)
            )


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = date.min
    if not 2020 <= day.year <= 2099:
        raise CommandError(f"--as-of {text!r}: expected a day as 2026-10-25", returncode=2)
    return day


def _sentence(projection: Projection, written: Written) -> str:
    forecast, hits = projection.forecast, projection.hits
    spent = f"{written['spent']} {written['currency']} spent"
    if forecast.expected is None:
        why = _WHY.get(forecast.reason, forecast.reason)
        return f"{spent}, {why}"
    expected = f"{written['expected']} {written['currency']} expected by {written['to']}"
    if forecast.low is None:
        return (
            f"{spent}, {expected} (run rate of {forecast.history_days} whole days; "
            f"no band before {FEWEST_DAYS})"
        )
    past = ""
    if hits.projections:
        past = f"; such bands held {hits.held} of {hits.projections} times"
    return (
        f"{spent}, {expected}, 80 % between {written['low']} and {written['high']} "
        f"(tokens by weekday and level of {forecast.history_days} whole days{past})"
    )
