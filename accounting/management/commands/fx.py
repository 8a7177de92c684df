"""manage.py fx: exchange rates taken in and shown."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounting.domain.currencies import checked_currency
from accounting.domain.errors import DomainError
from accounting.domain.money import plain
from accounting.management.price_texts import changed_text, json_line
from accounting.management.questions import add_organization, organization_of
from accounting.models import FxRate
from accounting.services.fx import import_ecb
from accounting.services.pricebooks import Author
from accounting.services.tenants import ensure_defaults


class Command(BaseCommand):
    """Two actions on the exchange rates of one organization."""

    help = "Import exchange rates in the European Central Bank's CSV layout, or list them."

    def add_arguments(self, parser: CommandParser) -> None:
        """One sub-command for each action."""
        actions = parser.add_subparsers(dest="action", required=True)
        importing = actions.add_parser("import", help="eurofxref.csv or eurofxref-hist.csv")
        importing.add_argument("file", type=Path, metavar="FILE")
        importing.add_argument(
            "--currencies", default="", metavar="USD,CNY", help="default: those the books need"
        )
        listing = actions.add_parser("list", help="the rates in the books, newest first")
        for action in (importing, listing):
            add_organization(action)
            action.add_argument("--json", action="store_true", help="one JSON object a line")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Do what was asked for."""
        ensure_defaults()
        getattr(self, f"_{options['action']}")(options)

    def _import(self, options: dict[str, Any]) -> None:
        path = options["file"]
        codes = options["currencies"].split(",")
        try:
            currencies = [checked_currency(code) for code in codes if code.strip()]
            changed = import_ecb(
                path.read_bytes(),
                organization=organization_of(options),
                currencies=currencies,
                by=Author(reason=f"fx import {path.name}"),
            )
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}", returncode=2) from error
        except DomainError as error:
            raise CommandError(f"{path}: {error}", returncode=1) from error
        self.stdout.write(json_line(changed) if options["json"] else changed_text(changed))

    def _list(self, options: dict[str, Any]) -> None:
        rates = FxRate.objects.filter(
            organization=organization_of(options), superseded_version=None
        ).order_by("-effective_from", "from_currency", "to_currency")
        for rate in rates:
            shown = {
                "from_currency": rate.from_currency,
                "to_currency": rate.to_currency,
                "rate": plain(rate.rate),
                "from": rate.effective_from.isoformat(),
                "to": rate.effective_to.isoformat() if rate.effective_to else None,
                "source": rate.source,
                "version": rate.added_version_id,
            }
            self.stdout.write(
                json.dumps(shown) if options["json"] else f"{shown['from']}  {rate}  {rate.source}"
            )
