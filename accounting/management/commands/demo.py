"""manage.py demo: fill the books with a seeded sample, or take it out again."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounting.models import Organization
from accounting.services.demo import load_demo, remove_demo


class Command(BaseCommand):
    """Load or remove the sample data."""

    help = "Load sixty seeded days of sample usage, or remove them again."

    def add_arguments(self, parser: CommandParser) -> None:
        """--remove takes the sample away."""
        parser.add_argument("--remove", action="store_true", help="take the sample out again")
        parser.add_argument("--organization", default="default", help="slug")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print how many requests came or events went."""
        organization = Organization.objects.filter(slug=options["organization"]).first()
        if organization is None:
            raise CommandError(f"no organization {options['organization']!r}", returncode=2)
        result: dict[str, Any]
        if options["remove"]:
            result = {"removed_events": remove_demo(organization_id=organization.pk)}
        else:
            demo = load_demo(organization_id=organization.pk, now=timezone.now())
            result = demo.change.as_json()
        if options["json"]:
            self.stdout.write(json.dumps(result))
        else:
            self.stdout.write(", ".join(f"{name}: {value}" for name, value in result.items()))
