"""manage.py reprice: show what newer prices would change, change it, or take it back."""

import json
import sys
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from rich.console import Console
from rich.progress import Progress

from accounting.domain.errors import DomainError
from accounting.domain.ranges import RANGES
from accounting.management.questions import (
    add_conditions,
    add_organization,
    filter_of,
    organization_of,
)
from accounting.models import Organization, RepriceRun
from accounting.models.repricing import UNFINISHED_STATES
from accounting.queries.writing_explained import written_run
from accounting.services.reprice_runs import apply_run, draft_run, undo_run
from accounting.services.repricing_chunks import carry_on

#: How long this process works before it says how far it has come.
STEP_S = 1.0
#: --apply without a number: the run that this command drafts.
THIS_RUN = 0


class Command(BaseCommand):
    """Reprice a span: dry unless told otherwise."""

    help = (
        "Rate a span again by the newest prices and show the difference by month, model and cause;"
        " --apply changes it, --undo RUN takes a run back."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """The span and filter, and what is to be done."""
        parser.add_argument("--from", metavar="DAY", help="first day, as 2026-10-01")
        parser.add_argument("--to", metavar="DAY", help="day after the last; default tomorrow")
        parser.add_argument("--range", choices=RANGES, help="instead of --from and --to")
        parser.add_argument("--purpose", help="usage (default) or benchmark")
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--apply", nargs="?", type=int, const=THIS_RUN, metavar="RUN",
            help="change what the dry run finds, or what dry run RUN found",
        )  # fmt: skip
        what.add_argument("--undo", type=int, metavar="RUN", help="put back what RUN changed")
        parser.add_argument("--json", action="store_true", help="one JSON object per line")
        add_conditions(parser)
        add_organization(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the differences, then the run. Exit 1 where the books refuse it."""
        organization = organization_of(options)
        try:
            run = self._done(organization, options)
        except DomainError as error:
            raise CommandError(f"{error.code}: {error}", returncode=1) from error
        if options["undo"] is None:
            for row in run.draft.get("rows", ()):
                self._print(row, _row_text(row), as_json=options["json"])
            for row in run.draft.get("unpriced", ()):
                written = {**row, "unpriced": True}
                self._print(written, _unpriced_text(row), as_json=options["json"])
        written = written_run(run)
        text = f"run {run.pk} {run.state}: {written['changed']} of {run.total} events differ"
        self._print(written, text, as_json=options["json"])

    def _done(self, organization: Organization, options: dict[str, Any]) -> RepriceRun:
        if options["undo"] is not None:
            undo_run(organization_id=organization.pk, run_id=options["undo"])
            return _finished(options["undo"])
        run_id = options["apply"] or THIS_RUN
        if run_id == THIS_RUN:
            if not (options["from"] or options["range"]):
                raise CommandError("--from DAY [--to DAY] or --range is needed", returncode=2)
            wanted = filter_of(options, organization, timezone.now())
            run_id = draft_run(wanted=wanted).run_id
            run = _finished(run_id)
            if options["apply"] is None:
                return run
        apply_run(organization_id=organization.pk, run_id=run_id)
        return _finished(run_id)

    def _print(self, written: dict[str, Any], text: str, *, as_json: bool) -> None:
        self.stdout.write(json.dumps(written, ensure_ascii=False) if as_json else text)


def _finished(run_id: int) -> RepriceRun:
    """The run once its state is reached; a worker may be doing some of its chunks."""
    console = Console(stderr=True)
    with Progress(console=console, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("repricing", total=None)
        while True:
            progress = carry_on(run_id=run_id, seconds=STEP_S)
            bar.update(
                task, description=progress.state, total=progress.total, completed=progress.done
            )
            if progress.state not in UNFINISHED_STATES:
                return RepriceRun.objects.get(pk=run_id)
            if not progress.more:
                time.sleep(STEP_S / 2)


def _row_text(row: dict[str, Any]) -> str:
    booked = f", booked in {row['booked_in']}" if row["booked_in"] else ""
    return (
        f"{row['month']} {row['provider']}/{row['model']} {row['cause']}: {row['events']} events,"
        f" {row['old_cost'] or 'unpriced'} -> {row['new_cost'] or 'unpriced'}"
        f" ({row['difference_cost']} {row['currency']}{booked})"
    )


def _unpriced_text(row: dict[str, Any]) -> str:
    return (
        f"{row['month']} {row['provider']}/{row['model']} stays unpriced:"
        f" {row['events']} events, {row['tokens']} tokens"
    )
