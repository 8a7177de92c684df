"""manage.py rollups verify|rebuild: prove that every sum equals its events, or make it so."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounting.models import Organization
from accounting.services.rollups import differences, rebuild


class Command(BaseCommand):
    """Compare the rollups with the ledger, or store them anew."""

    help = "Compare the rollups with the ledger (verify) or store them anew (rebuild)."

    def add_arguments(self, parser: CommandParser) -> None:
        """Verify or rebuild, of one organization or of all."""
        parser.add_argument("action", choices=["verify", "rebuild"])
        parser.add_argument("--organization", help="slug; without it, every organization")
        parser.add_argument("--json", action="store_true", help="one JSON object per organization")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print what was found or written; exit 1 when a sum is wrong."""
        wrong = 0
        for organization in self._organizations(options["organization"]):
            if options["action"] == "rebuild":
                result = {"rows": rebuild(organization_id=organization.pk)}
            else:
                found = differences(organization_id=organization.pk)
                result = {"differences": sum(found.values()), **found}
                wrong += result["differences"]
            self._print(organization, result, as_json=options["json"])
        if wrong:
            raise CommandError("the rollups differ from the ledger", returncode=1)

    def _organizations(self, slug: str | None) -> list[Organization]:
        organizations = list(Organization.objects.filter(**({"slug": slug} if slug else {})))
        if slug and not organizations:
            raise CommandError(f"no organization {slug!r}", returncode=2)
        return organizations

    def _print(self, organization: Organization, result: dict[str, int], *, as_json: bool) -> None:
        values = {"organization": organization.slug, **result}
        if as_json:
            self.stdout.write(json.dumps(values))
        else:
            self.stdout.write(", ".join(f"{name}: {value}" for name, value in values.items()))
