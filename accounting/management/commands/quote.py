"""manage.py quote: what given usage would cost, by the prices in the books."""

import json
import sys
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounting.domain.errors import DomainError
from accounting.domain.quotes import BadQuestionError, answer, question_from, refusal
from accounting.domain.ratebook import RateBook
from accounting.management.questions import add_organization, organization_of
from accounting.queries.prices import loaded_rates
from accounting.services.tenants import ensure_defaults


class Command(BaseCommand):
    """Answers one JSON question a line with one JSON line, in the same order."""

    help = "Price usage given as NDJSON on standard input; writes NDJSON to standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose prices."""
        add_organization(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Answer every line; exit 1 at the end when one could not be answered."""
        ensure_defaults()
        rates = loaded_rates(organization_of(options).pk)
        refused = self._answer_all(sys.stdin.buffer, rates)
        if refused:
            raise CommandError(f"{refused} lines refused", returncode=1)

    def _answer_all(self, lines: Iterable[bytes], rates: RateBook) -> int:
        refused = 0
        for line in lines:
            try:
                told = answer(question_from(_json(line)), rates)
            except DomainError as error:
                told = refusal(error)
                refused += 1
            self.stdout.write(json.dumps(told, ensure_ascii=False))
        return refused


def _json(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8-sig"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise BadQuestionError(f"not JSON: {str(error)[:80]}") from error


def _no_number(constant: str) -> Any:
    raise ValueError(f"{constant} is no number")
