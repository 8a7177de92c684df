"""manage.py prices: price tables taken in, shown, and looked through for what is missing."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounting.domain.errors import DomainError
from accounting.domain.money import plain
from accounting.domain.periods import checked_moment
from accounting.management.questions import add_organization, organization_of
from accounting.queries.prices import (
    MissingPrice,
    PriceRow,
    models_without_price,
    price_table_in_force,
)
from accounting.services.builtin_prices import load_builtin
from accounting.services.pricebooks import Author, PricesChanged, import_table
from accounting.services.tenants import ensure_defaults


class Command(BaseCommand):
    """Three actions on the price tables of one organization."""

    help = "Import a price table, list the prices in force, or list models without a price."

    def add_arguments(self, parser: CommandParser) -> None:
        """One sub-command for each action."""
        actions = parser.add_subparsers(dest="action", required=True)
        importing = actions.add_parser("import", help="take in a JSON or CSV price table")
        importing.add_argument("file", type=Path, metavar="FILE")
        importing.add_argument("--reason", default="", help="noted with the price version")
        listing = actions.add_parser("list", help="the prices in force")
        listing.add_argument("--at", metavar="TIME", help="ISO 8601 with an offset; default: now")
        listing.add_argument("--book", default="")
        listing.add_argument("--provider", default="")
        listing.add_argument("--model", default="", help="part of a model's name")
        missing = actions.add_parser("missing", help="models that were used without a price")
        actions.add_parser("builtin", help="load the built-in list of the installed package")
        for action in (importing, listing, missing):
            add_organization(action)
        for action in actions.choices.values():
            action.add_argument("--json", action="store_true", help="one JSON object a line")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Do what was asked for."""
        ensure_defaults()
        getattr(self, f"_{options['action']}")(options)

    def _import(self, options: dict[str, Any]) -> None:
        organization = organization_of(options)
        try:
            content = options["file"].read_bytes()
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}", returncode=2) from error
        by = Author(reason=options["reason"] or f"prices import {options['file'].name}")
        try:
            changed = import_table(content, organization=organization, by=by)
        except DomainError as error:
            raise CommandError(f"{options['file']}: {error}", returncode=1) from error
        self._show([changed], options, _changed_text)

    def _list(self, options: dict[str, Any]) -> None:
        organization = organization_of(options)
        rows = price_table_in_force(
            organization.pk,
            at=_moment(options["at"]),
            book=options["book"],
            provider=options["provider"],
            model=options["model"],
        )
        if options["json"]:
            for row in rows:
                self.stdout.write(json.dumps(_price_json(row), ensure_ascii=False))
        else:
            self._show(rows, options, _price_text)

    def _missing(self, options: dict[str, Any]) -> None:
        organization = organization_of(options)
        self._show(models_without_price(organization.pk), options, _missing_text)

    def _builtin(self, options: dict[str, Any]) -> None:
        self._show([load_builtin()], options, str)

    def _show(self, values: Iterable[Any], options: dict[str, Any], text: Any) -> None:
        for value in values:
            if options["json"]:
                shown = json.dumps(asdict(value), default=_json_value, ensure_ascii=False)
                self.stdout.write(shown)
            else:
                self.stdout.write(text(value))


def _moment(written: str | None) -> datetime:
    if not written:
        return timezone.now()
    try:
        return checked_moment(datetime.fromisoformat(written))
    except ValueError as error:
        raise CommandError(f"--at: {error}", returncode=2) from error


def _json_value(value: Any) -> str:
    return plain(value) if isinstance(value, Decimal) else str(value.isoformat())


def _changed_text(changed: PricesChanged) -> str:
    if changed.version is None:
        return "Nothing to change: these prices stand already."
    return (
        f"Price version {changed.version}: {changed.rates.added} rates added,"
        f" {changed.rates.closed} ended, {changed.rates.superseded} corrected;"
        f" {changed.conversions.added} credit and exchange rates added;"
        f" {changed.newly_priced} requests priced that had no price."
    )


def _price_json(row: PriceRow) -> dict[str, Any]:
    """A rate by the names that `prices import` takes, with its book, id and version beside it."""
    return {
        "book": row.book,
        "currency": row.currency,
        "provider": row.provider,
        "model": row.model or "*",
        "unit": row.unit,
        "price": plain(row.price),
        "per": row.per,
        "from": row.effective_from.isoformat(),
        "to": row.effective_to.isoformat() if row.effective_to else None,
        "input_gt": row.input_gt,
        **row.conditions,
        "window": row.window or None,
        "priority": row.priority,
        "source": row.source,
        "note": row.note,
        "rate_id": row.id,
        "version": row.version,
    }


def _price_text(row: PriceRow) -> str:
    conditions = [f"{name}={value}" for name, value in sorted(row.conditions.items())]
    if row.input_gt is not None:
        conditions.append(f"input > {row.input_gt}")
    if row.window:
        conditions.append(row.window)
    end = f" to {row.effective_to:%Y-%m-%d}" if row.effective_to else ""
    model = "/".join(part for part in (row.provider, row.model) if part) or "any model"
    return (
        f"{row.book}  {model}  {row.unit}  {plain(row.price)} {row.currency} per {row.per}"
        f"  from {row.effective_from:%Y-%m-%d}{end}  {' '.join(conditions)}".rstrip()
    )


def _missing_text(missing: MissingPrice) -> str:
    return (
        f"{missing.provider or '(no provider)'}  {missing.model}  {missing.unpriced_requests} of"
        f" {missing.requests} requests, {missing.unpriced_tokens} tokens"
    )
