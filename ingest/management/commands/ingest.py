"""manage.py ingest: reads log files and folders into the books."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounting.models import Import
from accounting.services.dryrun import empty_books
from ingest.management.senders import add_sender, sender_of
from ingest.management.showing import left_out, progress_bar, told
from ingest.services.paths import read_path
from ingest.services.reading import read_import
from ingest.services.rereading import NotKeptError, begin_again
from ingest.services.results import InputResult, result_of, total_of

#: Workers read along; whatever is left after a day of it, they will.
REREADING_S = 24 * 60 * 60.0


class Command(BaseCommand):
    """Reads each path as one input, in this process, and says what became of it."""

    help = (
        "Read log files and folders into the books; reading one again counts nothing twice."
        " Each path is one input. Exit code 0: every input was read; lines that were rejected, and"
        " files of a folder that are no log, are counted and named and fail nothing. 1: an input was"
        " refused or failed as a whole. 2: wrong usage."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Paths and what is to be known about them."""
        parser.add_argument("paths", nargs="*", metavar="PATH")
        parser.add_argument(
            "--reread",
            type=int,
            metavar="IMPORT",
            help="instead of paths: an import whose bytes are kept, see TALLYBOOK_KEEP_RAW_DAYS",
        )
        add_sender(parser)
        parser.add_argument(
            "--dry-run", action="store_true", help="read against empty books and keep nothing"
        )
        parser.add_argument("--json", action="store_true", help="one JSON object per input")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print one result for each path and their total; exit 1 when one was refused or failed."""
        if (options["reread"] is None) == (not options["paths"]):
            raise CommandError("name paths, or an import by --reread", returncode=2)
        # An unset variable of a shell; to the system it would be the folder one stands in.
        if "" in options["paths"]:
            raise CommandError("a path is empty; the folder you are in is '.'", returncode=2)
        results = []
        for result in _reread(options) if options["reread"] else _read(options):
            results.append(result)
            if options["json"]:
                self.stdout.write(json.dumps(result.as_json(), ensure_ascii=False))
        total = total_of(results)
        if options["json"]:
            self.stdout.write(json.dumps(total.as_json(), ensure_ascii=False))
        else:
            self.stdout.write(told(results, total))
        for words in filter(None, map(left_out, results)):
            self.stderr.write(words)
        bad = [result for result in results if result.is_bad]
        if bad:
            raise CommandError(f"{len(bad)} of {len(results)} inputs not read", returncode=1)


def _read(options: dict[str, Any]) -> Iterator[InputResult]:
    sender = sender_of(options)
    for path in options["paths"]:
        with _books(is_dry=options["dry_run"]), progress_bar(path) as progress:
            yield read_path(path, sender=sender, progress=progress)


def _reread(options: dict[str, Any]) -> Iterator[InputResult]:
    try:
        source = begin_again(options["reread"])
    except (NotKeptError, Import.DoesNotExist) as error:
        raise CommandError(str(error), returncode=1) from error
    yield result_of(read_import(source.pk, seconds=REREADING_S))


@contextmanager
def _books(*, is_dry: bool) -> Iterator[None]:
    with ExitStack() as stack:
        if is_dry:
            stack.enter_context(empty_books())
        yield
