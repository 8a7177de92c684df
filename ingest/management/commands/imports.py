"""manage.py imports: what was imported, and taking it back."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounting.domain.errors import DomainError
from accounting.domain.money import plain
from accounting.management.questions import add_organization, organization_of
from accounting.models import Import
from accounting.models.imports import LINE_COUNTERS
from accounting.services.tenants import ensure_defaults
from accounting.services.undoing import MetByLaterError
from ingest.services.undoing import Undone, undo_imports

SHOWN = 50


class Command(BaseCommand):
    """Two actions on the imports of one organization."""

    help = "List imports, or undo them: what they recorded goes, what they replaced comes back."

    def add_arguments(self, parser: CommandParser) -> None:
        """One sub-command for each action."""
        actions = parser.add_subparsers(dest="action", required=True)
        listing = actions.add_parser("list", help="the newest imports first")
        listing.add_argument("--limit", type=int, default=SHOWN, metavar="N")
        undoing = actions.add_parser(
            "undo", help="undo an import, or several together that met each other's events"
        )
        undoing.add_argument("imports", nargs="+", type=int, metavar="ID")
        for action in (listing, undoing):
            add_organization(action)
            action.add_argument("--json", action="store_true", help="one JSON object a line")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Do what was asked for; exit 1 where it was refused."""
        ensure_defaults()
        getattr(self, f"_{options['action']}")(options)

    def _list(self, options: dict[str, Any]) -> None:
        found = Import.objects.of(organization_of(options).pk).order_by("-pk")
        for source in found[: max(options["limit"], 0)]:
            told = {
                "import_id": source.pk,
                "path": source.name or source.door,
                "format": source.format or None,
                "state": source.result_state,
                "received_at": source.received_at.isoformat(),
                **{name: getattr(source, name) for name in LINE_COUNTERS},
            }
            text = f"{source.pk}  {told['received_at']}  {told['state']}  {told['path']}"
            self._print(told, text, as_json=options["json"])

    def _undo(self, options: dict[str, Any]) -> None:
        organization = organization_of(options)
        try:
            undone = undo_imports(organization_id=organization.pk, import_ids=options["imports"])
        except MetByLaterError as error:
            together = " ".join(map(str, sorted({*options["imports"], *error.met_by})))
            message = f"{error.code}: {error}; or all together: imports undo {together}"
            raise CommandError(message, returncode=1) from error
        except DomainError as error:
            raise CommandError(f"{error.code}: {error}", returncode=1) from error
        self._print(_written(undone), _text(undone), as_json=options["json"])

    def _print(self, told: dict[str, Any], text: str, *, as_json: bool) -> None:
        self.stdout.write(json.dumps(told, ensure_ascii=False) if as_json else text)


def _written(undone: Undone) -> dict[str, Any]:
    return {
        "imports": list(undone.import_ids),
        "state": "undone",
        "removed": undone.removed,
        "restored": undone.restored,
        **undone.change.as_json(),
    }


def _text(undone: Undone) -> str:
    spent = "".join(
        f", {plain(amount)} {currency}" for currency, amount in sorted(undone.change.cost.items())
    )
    named = ", ".join(map(str, undone.import_ids))
    return (
        f"undone: {named}; {undone.removed} events went, {undone.restored} are as they were before"
        f" ({undone.change.requests} requests{spent})"
    )
