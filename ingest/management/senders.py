"""Who sends, and what they say about it, as the options of a command tell it."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounting.models import Organization, Project
from accounting.services.tenants import ensure_defaults
from ingest.formats import by_name
from ingest.formats.base import UnreadableError
from ingest.formats.mapping import ColumnMapping, mapping_from
from ingest.services.choices import BadChoiceError, Choices, choices_from
from ingest.services.receive import Sender
from ingest.services.tables import ENCODINGS, Reading


def add_sender(parser: CommandParser) -> None:
    """The options that say how and for whom logs are read."""
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


def sender_of(options: dict[str, Any]) -> Sender:
    """The sender that the options name. Raises CommandError, exit code 2, for what cannot be."""
    organization = organization_of(options["organization"])
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


def organization_of(slug: str | None) -> Organization:
    """The organization of this slug, the default one without. Raises CommandError, exit code 2."""
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
