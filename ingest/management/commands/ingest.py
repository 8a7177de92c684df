"""manage.py ingest: reads log files and folders into the books."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounting.models import Import, Organization, Project
from accounting.services.dryrun import empty_books
from accounting.services.tenants import ensure_defaults
from ingest.formats import by_name
from ingest.formats.base import UnreadableError
from ingest.formats.mapping import ColumnMapping, mapping_from
from ingest.management.showing import left_out, progress_bar, told
from ingest.services.choices import BadChoiceError, Choices, choices_from
from ingest.services.paths import read_path
from ingest.services.reading import read_import
from ingest.services.receive import Sender
from ingest.services.rereading import NotKeptError, begin_again
from ingest.services.results import InputResult, result_of, total_of
from ingest.services.tables import ENCODINGS, Reading

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
        parser.add_argument("--organization", metavar="SLUG", help="whose books; default: default")
        parser.add_argument("--project", metavar="SLUG", help="what the usage is charged to")
        parser.add_argument("--format", default="", help="read as this format, without detection")
        parser.add_argument(
            "--mapping", metavar="FILE", help="JSON that says what the columns of a table mean"
        )
        parser.add_argument(
            "--encoding", default="", choices=ENCODINGS, help="what the files are written in"
        )
        parser.add_argument(
            "--set",
            action="extend",
            nargs="+",
            default=[],
            metavar="NAME=VALUE",
            help="where the log is silent: provider, model, started_at, run, input_tokens;"
            " after the paths",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="read against empty books and keep nothing"
        )
        parser.add_argument("--json", action="store_true", help="one JSON object per input")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print one result for each path and their total; exit 1 when one was refused or failed."""
        if (options["reread"] is None) == (not options["paths"]):
            raise CommandError("name paths, or an import by --reread", returncode=2)
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
    sender = _sender(options)
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


def _sender(options: dict[str, Any]) -> Sender:
    organization = _organization(options["organization"])
    project_id = None
    if options["project"]:
        projects = Project.objects.of(organization.pk).filter(archived_at=None)
        project = projects.filter(slug=options["project"]).first()
        if project is None:
            slugs = ", ".join(projects.order_by("slug").values_list("slug", flat=True)[:20])
            message = f"no project {options['project']!r}; there are {slugs}"
            raise CommandError(message, returncode=2)
        project_id = project.pk
    return Sender(
        organization_id=organization.pk,
        project_id=project_id,
        wanted_format=_format(options["format"]),
        choices=_choices(options["set"]),
        reading=Reading(mapping=_mapping(options["mapping"]), encoding=options["encoding"]),
    )


def _organization(slug: str | None) -> Organization:
    if not slug:
        return ensure_defaults()
    found = Organization.objects.filter(slug=slug).first()
    if found is None:
        raise CommandError(f"no organization {slug!r}", returncode=2)
    return found


def _format(name: str) -> str:
    try:
        return by_name(name).name if name else ""
    except UnreadableError as error:
        raise CommandError(error.reason, returncode=2) from error


def _mapping(path: str | None) -> ColumnMapping | None:
    if not path:
        return None
    try:
        return mapping_from(json.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:  # JSONDecodeError and BadMappingError are ValueErrors
        raise CommandError(f"--mapping {path}: {error}", returncode=2) from error


def _choices(pairs: list[str]) -> Choices:
    texts = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise CommandError(f"--set {pair!r}, expected NAME=VALUE", returncode=2)
        texts[name.strip()] = value
    try:
        return choices_from(texts)
    except BadChoiceError as error:
        raise CommandError(str(error), returncode=2) from error
