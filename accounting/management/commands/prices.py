"""manage.py prices: price tables taken in, shown, written out, and looked through for gaps."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounting.domain.errors import DomainError
from accounting.domain.periods import checked_moment
from accounting.management import price_texts as texts
from accounting.management.days import local_start
from accounting.management.questions import add_organization, organization_of
from accounting.queries.price_export import (
    NoSuchBookError,
    NotInCsvError,
    exported_csv,
    exported_json,
)
from accounting.queries.price_sources import price_sources
from accounting.queries.prices import price_table_in_force
from accounting.queries.unpriced import models_without_price
from accounting.services.builtin_prices import load_builtin
from accounting.services.builtin_refresh import list_difference
from accounting.services.pricebooks import Author, import_table
from accounting.services.tenants import ensure_defaults

EXPORTS = {"json": exported_json, "csv": exported_csv}


class Command(BaseCommand):
    """Actions on the price tables of one organization."""

    help = "Import, export, list and check price tables; bring the built-in list up to date."

    def add_arguments(self, parser: CommandParser) -> None:
        """One sub-command for each action."""
        actions = parser.add_subparsers(dest="action", required=True)
        importing = actions.add_parser("import", help="take in a price table or a feed")
        importing.add_argument("file", type=Path, metavar="FILE")
        importing.add_argument("--reason", default="", help="noted with the price version")
        importing.add_argument(
            "--from", dest="start", metavar="DAY", help="from when a feed's prices hold: today"
        )
        importing.add_argument("--book", default="", help="the book a feed goes into: its name")
        importing.add_argument(
            "--confirm", action="store_true", help="take prices in although they look wrong"
        )
        exporting = actions.add_parser("export", help="write a book out, to be imported again")
        exporting.add_argument("--book", required=True, metavar="CODE")
        exporting.add_argument("--format", choices=EXPORTS, default="json")
        listing = actions.add_parser("list", help="the prices in force")
        listing.add_argument("--at", metavar="TIME", help="ISO 8601 with an offset; default: now")
        listing.add_argument("--book", default="")
        listing.add_argument("--provider", default="")
        listing.add_argument("--model", default="", help="part of a model's name")
        missing = actions.add_parser("missing", help="models that were used without a price")
        sources = actions.add_parser("sources", help="where prices came from and when")
        refresh = actions.add_parser("refresh", help="compare the built-in list with the package")
        refresh.add_argument("--accept", action="store_true", help="take the difference in")
        actions.add_parser("builtin", help="load the built-in list where there is none")
        for action in (importing, exporting, listing, missing, sources):
            add_organization(action)
        for action in actions.choices.values():
            action.add_argument("--json", action="store_true", help="one JSON object a line")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Do what was asked for."""
        ensure_defaults()
        getattr(self, f"_{options['action']}")(options)

    def _import(self, options: dict[str, Any]) -> None:
        organization = organization_of(options)
        path = options["file"]
        reason = options["reason"] or f"prices import {path.name}"
        try:
            changed = import_table(
                path.read_bytes(),
                organization=organization,
                by=Author(reason=reason, confirmed=options["confirm"]),
                start=local_start(options, organization),
                book=options["book"],
            )
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}", returncode=2) from error
        except DomainError as error:
            raise CommandError(f"{path}: {error}", returncode=1) from error
        self._show([changed], options, texts.changed_text)
        if changed.is_refused:
            raise CommandError(f"{path}: not confirmed", returncode=1)

    def _export(self, options: dict[str, Any]) -> None:
        organization = organization_of(options)
        try:
            written = EXPORTS[options["format"]](organization.pk, options["book"])
        except NoSuchBookError:
            raise CommandError(f"there is no book {options['book']!r}", returncode=2) from None
        except NotInCsvError as error:
            raise CommandError(str(error), returncode=1) from error
        self.stdout.write(written, ending="" if written.endswith("\n") else "\n")

    def _list(self, options: dict[str, Any]) -> None:
        rows = price_table_in_force(
            organization_of(options).pk,
            at=_moment(options["at"]),
            book=options["book"],
            provider=options["provider"],
            model=options["model"],
        )
        for row in rows:
            self.stdout.write(texts.price_json(row) if options["json"] else texts.price_text(row))

    def _missing(self, options: dict[str, Any]) -> None:
        organization = organization_of(options)
        self._show(models_without_price(organization.pk), options, texts.missing_text)

    def _sources(self, options: dict[str, Any]) -> None:
        organization = organization_of(options)
        found = price_sources(organization.pk, now=timezone.now())
        self._show(found, options, texts.source_text)

    def _refresh(self, options: dict[str, Any]) -> None:
        difference = list_difference()
        if not options["accept"] or difference.is_current:
            self._show([difference], options, texts.difference_text)
        else:
            self._show([load_builtin(accept=True)], options, str)

    def _builtin(self, options: dict[str, Any]) -> None:
        self._show([load_builtin()], options, str)

    def _show(self, values: Iterable[Any], options: dict[str, Any], text: Any) -> None:
        for value in values:
            self.stdout.write(texts.json_line(value) if options["json"] else text(value))


def _moment(written: str | None) -> datetime:
    if not written:
        return timezone.now()
    try:
        return checked_moment(datetime.fromisoformat(written))
    except ValueError as error:
        raise CommandError(f"--at: {error}", returncode=2) from error
