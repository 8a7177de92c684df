"""manage.py report: usage by time and dimension, the same numbers as pages and REST."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from rich.console import Console

from accounting.domain.ranges import BUCKETS, RANGES
from accounting.exports.text_files import csv_pieces
from accounting.exports.usage import usage_export
from accounting.exports.workbooks import TooManyRowsError, write_workbook
from accounting.management.questions import (
    add_conditions,
    add_organization,
    filter_of,
    organization_of,
)
from accounting.management.terminal import terminal_table
from accounting.queries.filters import UsageFilter
from accounting.queries.grammar import DIMENSIONS
from accounting.queries.sessions import SessionSummary, session_summary
from accounting.queries.snapshots import snapshot
from accounting.queries.spend import UsageTable, usage_table
from accounting.queries.writing import written_row, written_whole

#: Columns of the table where no terminal says how wide it is.
WIDE = 240
FORMATS = ("table", "csv", "xlsx", "json")


class Command(BaseCommand):
    """Print usage and cost by time and dimension."""

    help = "Print usage and cost by time and dimension."

    def add_arguments(self, parser: CommandParser) -> None:
        """The names of the address, as options."""
        parser.add_argument("--from", metavar="DAY", help="first day, as 2026-10-01")
        parser.add_argument("--to", metavar="DAY", help="day after the last; default tomorrow")
        parser.add_argument("--range", choices=RANGES, help="instead of --from and --to")
        names = f"{', '.join(DIMENSIONS)}, or tag:KEY"
        parser.add_argument("--group", metavar="NAME", help=names)
        parser.add_argument("--sub", metavar="NAME", help="a second one; needs --group")
        parser.add_argument("--bucket", choices=BUCKETS)
        parser.add_argument("--tz", metavar="ZONE", help="days of another time zone")
        parser.add_argument("--purpose", help="usage (default) or benchmark")
        parser.add_argument("--format", choices=FORMATS, default="", help="default: table")
        parser.add_argument("--json", action="store_true", help="the same as --format json")
        parser.add_argument("--output", metavar="FILE", help="where xlsx goes")
        add_conditions(parser)
        add_organization(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Ask and print. Exit 2 for a question that can't be asked."""
        layout = _layout(options)
        wanted = filter_of(options, organization_of(options), timezone.now())
        match layout:
            case "json":
                self._print_json(usage_table(wanted), session_summary(wanted))
            case "csv":
                self._print_csv(wanted)
            case "xlsx":
                _write(wanted, options["output"])
            case _:
                self._print_table(usage_table(wanted), session_summary(wanted))

    def _print_csv(self, wanted: UsageFilter) -> None:
        with snapshot():
            for piece in csv_pieces(usage_export(wanted)):
                self.stdout.write(piece, ending="")

    def _print_json(self, table: UsageTable, sessions: SessionSummary) -> None:
        for row in table.rows:
            self.stdout.write(json.dumps(written_row(row)))
        self.stdout.write(json.dumps({"totals": written_whole(table.totals, sessions)}))

    def _print_table(self, table: UsageTable, sessions: SessionSummary) -> None:
        text = StringIO()
        width = None if self.stdout.isatty() else WIDE
        console = Console(file=text, width=width, highlight=False, markup=False)
        console.print(terminal_table(table))
        self.stdout.write(text.getvalue())
        median = written_whole(table.totals, sessions)["session_ratio_median"]
        self.stdout.write(
            f"{sessions.sessions} sessions, median input/output {median or 'unknown'}"
        )


def _layout(options: dict[str, Any]) -> str:
    """Which of FORMATS the options ask for. Raises CommandError where they contradict each other."""
    layout: str = options["format"] or ("json" if options["json"] else "table")
    if options["json"] and layout != "json":
        raise CommandError(f"--json and --format {layout} contradict each other", returncode=2)
    if (layout == "xlsx") != bool(options["output"]):
        raise CommandError("--output FILE and --format xlsx go together", returncode=2)
    return layout


def _write(wanted: UsageFilter, name: str) -> None:
    path = Path(name)
    try:
        path.open("ab").close()
    except OSError as error:
        raise CommandError(f"--output {name}: {error.strerror}", returncode=2) from error
    try:
        with snapshot():
            write_workbook(usage_export(wanted), path)
    except TooManyRowsError as error:
        raise CommandError(str(error), returncode=1) from error
