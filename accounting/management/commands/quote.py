"""manage.py quote: what given usage would cost, by the prices in the books."""

import json
import sys
import textwrap
from collections.abc import Iterable
from typing import Any

from django.core.management.base import (
    BaseCommand,
    CommandError,
    CommandParser,
    DjangoHelpFormatter,
)

from accounting.domain.errors import DomainError
from accounting.domain.quotes import (
    CONTEXT,
    REQUESTS,
    BadQuestionError,
    answer,
    question_from,
    refusal,
)
from accounting.domain.ratebook import RateBook
from accounting.domain.tokens import COUNT_NAMES
from accounting.management.questions import add_organization, organization_of
from accounting.queries.prices import loaded_rates
from accounting.services.tenants import ensure_defaults

EXAMPLE = (
    '{"provider": "openai", "model": "gpt-4o", "at": "2026-11-01T12:00:00Z",'
    ' "usage": {"input_tokens": 1000, "cache_read_input_tokens": 400, "output_tokens": 200}}'
)
_NAMES = textwrap.fill(
    ", ".join((*COUNT_NAMES, REQUESTS)), 100, initial_indent=" " * 20, subsequent_indent=" " * 20
)
EPILOG = f"""\
Each line of standard input is one question, each line of standard output its answer:

  echo '{EXAMPLE}' |
    ./manage.py quote

  provider, model   as logs name them
  at                when: ISO 8601 with an offset
  usage             counts by name; what is left out was not used. Totals hold their parts:
                    input_tokens the cached ones, output_tokens the reasoning ones
{_NAMES}
                    and any other unit that has a price
  context           may be left out: {", ".join(CONTEXT)}
  book              may be left out: the code of a price book, instead of the organization's chain

The answer is {{cost, currency, credits, state, lines}}, null where a price is unknown; a bad line is
answered by {{"error": {{"code", "reason"}}}} in its place, and the exit code is then 1.
"""


class _AsWritten(DjangoHelpFormatter):
    """Help whose epilog keeps its lines."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" not in text:
            return super()._fill_text(text, width, indent)
        return "".join(f"{indent}{line}" for line in text.splitlines(keepends=True))


class Command(BaseCommand):
    """Answers one JSON question a line with one JSON line, in the same order."""

    help = "Price usage given as NDJSON on standard input; writes NDJSON to standard output."

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> CommandParser:
        """A parser whose help ends with an example."""
        return super().create_parser(
            prog_name, subcommand, epilog=EPILOG, formatter_class=_AsWritten, **options
        )

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose prices."""
        add_organization(parser)
        parser.add_argument("--json", action="store_true", help="the answers always are JSON")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Answer every line; exit 1 at the end when one could not be answered."""
        ensure_defaults()
        rates = loaded_rates(organization_of(options).pk)
        if sys.stdin.isatty():
            self.stderr.write("Reading questions, one JSON object a line; --help shows one.")
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
