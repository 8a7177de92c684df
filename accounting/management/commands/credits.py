"""manage.py credits: what credits are worth, by kind and day."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounting.domain.currencies import checked_currency, checked_kind
from accounting.domain.errors import DomainError
from accounting.domain.money import plain
from accounting.management.days import local_start
from accounting.management.price_texts import changed_text, json_line
from accounting.management.questions import add_organization, organization_of
from accounting.models import CreditRate
from accounting.services.credit_presets import PRESETS, preset_named, use_preset
from accounting.services.price_fields import positive
from accounting.services.price_rows import ConversionRow
from accounting.services.pricebooks import Author, PricesChanged, add_credit_rate
from accounting.services.tenants import ensure_defaults


class Command(BaseCommand):
    """Four actions on the credits of one organization."""

    help = "List presets of credits, use one, set a rate of one's own, or list the rates."

    def add_arguments(self, parser: CommandParser) -> None:
        """One sub-command for each action."""
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("presets", help="credits that others sell")
        using = actions.add_parser("use", help="take a preset in")
        using.add_argument("preset", metavar="NAME")
        using.add_argument(
            "--quoted-prices", action="store_true", help="with the vendor's prices in credits"
        )
        setting = actions.add_parser("set", help="say what one credit is worth from a day on")
        setting.add_argument("--kind", default="", help="default: the organization's own")
        setting.add_argument("--price", required=True, metavar="AMOUNT")
        setting.add_argument("--currency", default="", help="default: the organization's")
        listing = actions.add_parser("list", help="the rates in the books, newest first")
        for action in (using, setting):
            action.add_argument("--from", dest="start", metavar="DAY", help="default: today")
        for action in (using, setting, listing):
            add_organization(action)
        for action in actions.choices.values():
            action.add_argument("--json", action="store_true", help="one JSON object a line")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Do what was asked for; exit 1 where it is refused."""
        ensure_defaults()
        try:
            getattr(self, f"_{options['action']}")(options)
        except DomainError as error:
            raise CommandError(str(error), returncode=1) from error

    def _presets(self, options: dict[str, Any]) -> None:
        for preset in PRESETS:
            self.stdout.write(
                json.dumps(asdict(preset) | {"worth": plain(preset.worth)})
                if options["json"]
                else f"{preset.name}  {preset.title}"
            )

    def _use(self, options: dict[str, Any]) -> None:
        organization = organization_of(options)
        changed = use_preset(
            preset_named(options["preset"]),
            organization=organization,
            start=local_start(options, organization),
            with_quoted_prices=options["quoted_prices"],
            by=Author(reason=f"credits use {options['preset']}", confirmed=True),
        )
        self._show(changed, options)

    def _set(self, options: dict[str, Any]) -> None:
        organization = organization_of(options)
        row = ConversionRow(
            what=checked_kind(options["kind"].strip() or organization.credit_kind),
            currency=checked_currency(options["currency"].strip() or organization.currency),
            price=positive(options, "price"),
            effective_from=local_start(options, organization),
        )
        self._show(add_credit_rate(row, organization=organization), options)

    def _list(self, options: dict[str, Any]) -> None:
        rates = CreditRate.objects.filter(
            organization=organization_of(options), superseded_version=None
        ).order_by("kind", "currency", "-effective_from")
        for rate in rates:
            shown = {
                "kind": rate.kind,
                "currency": rate.currency,
                "price": plain(rate.price),
                "from": rate.effective_from.isoformat(),
                "to": rate.effective_to.isoformat() if rate.effective_to else None,
                "version": rate.added_version_id,
            }
            self.stdout.write(json.dumps(shown) if options["json"] else f"{shown['from']}  {rate}")

    def _show(self, changed: PricesChanged, options: dict[str, Any]) -> None:
        self.stdout.write(json_line(changed) if options["json"] else changed_text(changed))
