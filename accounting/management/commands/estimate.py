"""manage.py estimate: what credits or money buy, and what a session costs."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounting.domain.estimate import BadEstimateError, OneKind, SessionCost
from accounting.domain.money import from_picos, plain
from accounting.management.questions import add_conditions, add_organization, organization_of
from accounting.queries.estimate_questions import BUDGET, MIX, SESSION, estimate_question
from accounting.queries.estimate_writing import written_estimate
from accounting.queries.estimates import Estimate, ModelEstimate, estimate
from accounting.queries.filters import FilterError
from accounting.services.tenants import ensure_defaults

_SINGLE = (*BUDGET, "input_tokens", *MIX, *SESSION, "range", "from", "to")


class Command(BaseCommand):
    """Estimate with models side by side."""

    help = "What credits or money buy in tokens and sessions, and what tokens cost."

    def add_arguments(self, parser: CommandParser) -> None:
        """The parameters of `/api/v1/estimate` as options."""
        for name in _SINGLE:
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name, default="")
        parser.add_argument(
            "--models", action="append", default=[], metavar="PROVIDER/MODEL", help="repeatable"
        )
        parser.add_argument(
            "--whole-credits", action="store_true", help="each request rounded up to whole credits"
        )
        parser.add_argument("--json", action="store_true", help="one JSON object")
        add_conditions(parser)
        add_organization(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the estimate; exit 2 for a question that can't be read."""
        ensure_defaults()
        try:
            question = estimate_question(_params(options), organization_of(options), timezone.now())
            found = estimate(question)
        except FilterError as error:
            raise CommandError(f"{error.code}: {error.reason}", returncode=2) from error
        except BadEstimateError as error:
            raise CommandError(str(error), returncode=2) from error
        if options["json"]:
            self.stdout.write(json.dumps(written_estimate(found), ensure_ascii=False))
        else:
            self.stdout.write("\n".join(_text(found)))


def _params(options: dict[str, Any]) -> dict[str, list[str]]:
    params = {name: [options[name]] for name in _SINGLE if options[name]}
    if options["models"]:
        params["models"] = options["models"]
    if options["whole_credits"]:
        params["whole_credits"] = ["true"]
    for written in options["filter"]:
        name, _, value = written.partition("=")
        params.setdefault(name, []).append(value)
    return params


def _text(found: Estimate) -> list[str]:
    example = found.example
    first = (
        f"{example.credits} credits of {plain(example.credit_price)} {example.currency} buy"
        f" {_kinds(example.buys)} at {plain(example.prices.input)} / {plain(example.prices.output)}"
        f" / {plain(example.prices.cached)} {example.currency} per million."
    )
    lines = [first]
    for side in found.models:
        lines += _side(side)
    return lines


def _side(side: ModelEstimate) -> list[str]:
    name = f"{side.provider}/{side.model}"
    if side.prices is None:
        return [f"{name}: no price"]
    lines = [f"{name}: {plain(side.prices.input)} {side.currency} per million input tokens"]
    if side.buys:
        lines.append(f"  buys {_kinds(side.buys)}")
    if side.at_mix and side.at_mix.mid:
        mid = side.at_mix.mid
        lines.append(f"  at the mix {mid.input_tokens} input and {mid.output_tokens} output tokens")
    if side.cost is not None:
        lines.append(f"  costs {plain(side.cost)} {side.currency}")
    for label, session in (("uncached", side.session_uncached), ("cached", side.session_cached)):
        if session:
            lines.append(f"  a session {label}: {_session(session, side.currency)}")
    return lines


def _session(session: SessionCost, currency: str) -> str:
    parts = [f"{session.input_tokens} input, {session.output_tokens} output tokens"]
    if session.cost is not None:
        parts.append(f"{plain(from_picos(session.cost))} {currency}")
    if session.credits is not None:
        parts.append(f"{plain(from_picos(session.credits))} credits")
    if session.sessions is not None:
        parts.append(f"{session.sessions} sessions")
    return ", ".join(parts)


def _kinds(buys: OneKind) -> str:
    shown = [
        "any number of" if n is None else str(n)
        for n in (buys.input_tokens, buys.output_tokens, buys.cached_tokens)
    ]
    return f"{shown[0]} input, {shown[1]} output or {shown[2]} cached tokens"
