"""manage.py explain: why a request, or a sample of a total, costs what it costs."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounting.domain.ranges import RANGES
from accounting.management.questions import (
    add_conditions,
    add_organization,
    filter_of,
    organization_of,
)
from accounting.queries.explain import MOST_SAMPLES, event_of, explanations, sampled
from accounting.queries.writing_explained import written_explanation


class Command(BaseCommand):
    """Print the bill of a request with the rates behind it."""

    help = "Print the lines, rates, conversions and import behind the cost of a request."

    def add_arguments(self, parser: CommandParser) -> None:
        """A key, or how many events of a filter."""
        parser.add_argument("key", nargs="?", help="an event's key in hex, or its response id")
        parser.add_argument(
            "--sample", type=int, default=0, help="instead: so many of the filter's"
        )
        parser.add_argument("--seed", default="", help="another word draws other events")
        parser.add_argument("--from", metavar="DAY")
        parser.add_argument("--to", metavar="DAY")
        parser.add_argument("--range", choices=RANGES)
        parser.add_argument("--json", action="store_true", help="one JSON object per event")
        add_conditions(parser)
        add_organization(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Exit 1 for an event that is not in the books, or whose cost cannot be computed again."""
        organization = organization_of(options)
        if bool(options["key"]) == bool(options["sample"]):
            raise CommandError("name a KEY, or how many with --sample", returncode=2)
        if options["key"]:
            event = event_of(organization.pk, options["key"])
            if event is None:
                raise CommandError(f"no event {options['key'][:200]!r}", returncode=1)
            events = [event]
        else:
            if not 1 <= options["sample"] <= MOST_SAMPLES:
                raise CommandError(f"--sample: 1 to {MOST_SAMPLES}", returncode=2)
            wanted = filter_of(options, organization, timezone.now())
            events = sampled(wanted, options["sample"], options["seed"])
        found = explanations(organization.pk, events)
        for one in found:
            self._print(written_explanation(one), as_json=options["json"])
        if not all(one.is_exact for one in found):
            raise CommandError("a cost differs from what its prices come to", returncode=1)

    def _print(self, written: dict[str, Any], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(written, ensure_ascii=False))
            return
        cost = f"{written['cost']} {written['currency']}" if written["cost"] else "unpriced"
        self.stdout.write(
            f"{written['event']} {written['occurred_at']} {written['model']}: {cost}"
            f" ({written['cost_state']}, price version {written['price_version']})"
        )
        for line in written["lines"]:
            rate = line["rate"]
            why = f"  [{', '.join(rate['why'])}]" if rate else "  no rate"
            self.stdout.write(
                f"  {line['unit']}: {line['quantity']} x {line['unit_price']} / {line['per']}"
                f" x {line['multiplier']} = {line['amount']}{why}"
            )
        self.stdout.write(
            f"  import {written['import_id']} {written['import_name']}, line {written['line']}"
        )
