"""manage.py project: where the month will end."""

import json
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounting.domain.periods import day_start
from accounting.management.questions import (
    add_conditions,
    add_organization,
    filter_of,
    organization_of,
)
from accounting.queries.projection import Projection, month_projections
from accounting.queries.writing import Written, written_projection


class Command(BaseCommand):
    """Project the end of the month, for each currency apart."""

    help = "Project the end of the month, for each currency apart."

    def add_arguments(self, parser: CommandParser) -> None:
        """The day from which the month is looked at."""
        parser.add_argument(
            "--as-of", metavar="DAY", help="as it stood when this day began; default: now"
        )
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
        for projection in month_projections(wanted):
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
    spent = f"{written['spent']} {written['currency']} spent"
    if projection.forecast.expected is None:
        return f"{spent}, not enough data for a projection"
    return (
        f"{spent}, {written['expected']} {written['currency']} expected by {written['to']} "
        f"(run rate of {projection.forecast.history_days} whole days)"
    )
