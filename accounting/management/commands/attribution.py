"""manage.py attribution: rules that say which project usage belongs to, and applying them to the past."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import Progress

from accounting.domain.attribution import Conditions
from accounting.domain.errors import DomainError
from accounting.domain.money import plain
from accounting.management.days import midnight
from accounting.management.questions import add_organization, organization_of
from accounting.models import AttributionRule, Organization, Project
from accounting.services.attribution import add_rule, conditions_of, remove_rule
from accounting.services.reattribution import (
    EARLIEST,
    LATEST,
    Moved,
    Reattribution,
    reattribute,
)
from accounting.services.tenants import ensure_defaults


class Command(BaseCommand):
    """Five actions on the rules of one organization."""

    help = (
        "Rules by which usage that names no project is charged to one: the first that fits decides."
        " They hold for what is read from now on; dry-run shows and apply moves what is in the books."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """One sub-command for each action."""
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("list", help="the rules, in the order in which they are asked")
        adding = actions.add_parser("add", help="a rule; everything it asks must hold")
        adding.add_argument("--project", required=True, metavar="SLUG")
        adding.add_argument(
            "--key", default="", metavar="NAME", help="the key's name; * is anything"
        )
        adding.add_argument("--user", default="", metavar="ID", help="* is anything")
        adding.add_argument("--team", default="", metavar="NAME", help="* is anything")
        adding.add_argument("--tag", default="", metavar="KEY[=VALUE]", help="* is anything")
        adding.add_argument("--folder", default="", metavar="PATH", help="this folder or below it")
        adding.add_argument("--position", type=int, metavar="N", help="from 1 on; default: last")
        removing = actions.add_parser("remove", help="drop a rule; what it moved stays until apply")
        removing.add_argument("position", type=int, metavar="N")
        dry = actions.add_parser("dry-run", help="what applying the rules would move")
        applying = actions.add_parser("apply", help="move what is in the books to where it belongs")
        for action in (dry, applying):
            action.add_argument("--from", dest="start", metavar="DAY", help="default: all")
            action.add_argument("--to", dest="end", metavar="DAY", help="exclusive")
        for action in actions.choices.values():
            add_organization(action)
            action.add_argument("--json", action="store_true", help="one JSON object a line")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Do what was asked for; exit 1 where it is refused."""
        ensure_defaults()
        organization = organization_of(options)
        try:
            match options["action"]:
                case "list":
                    self._list(organization, options)
                case "add":
                    self._add(organization, options)
                case "remove":
                    self._remove(organization, options)
                case action:
                    self._reattribute(organization, options, is_dry=action == "dry-run")
        except DomainError as error:
            raise CommandError(f"{error.code}: {error}", returncode=1) from error

    def _list(self, organization: Organization, options: dict[str, Any]) -> None:
        rules = AttributionRule.objects.of(organization.pk).select_related("project")
        for rule in rules.order_by("position"):
            self._print(_written(rule), _text(rule), options)

    def _add(self, organization: Organization, options: dict[str, Any]) -> None:
        projects = Project.objects.of(organization.pk).filter(archived_at=None)
        project = projects.filter(slug=options["project"]).first()
        if project is None:
            slugs = ", ".join(projects.order_by("slug").values_list("slug", flat=True)[:20])
            message = f"no project {options['project']!r}; there are {slugs}"
            raise CommandError(message, returncode=2)
        tag, _, value = options["tag"].partition("=")
        asks = Conditions(
            api_key_name=options["key"],
            user_id=options["user"],
            team=options["team"],
            tag=tag,
            tag_value=value,
            working_folder=options["folder"],
        )
        rule = add_rule(
            organization_id=organization.pk,
            project_id=project.pk,
            asks=asks,
            position=options["position"],
        )
        self._print(_written(rule), _text(rule), options)

    def _remove(self, organization: Organization, options: dict[str, Any]) -> None:
        place = options["position"]
        if not remove_rule(organization_id=organization.pk, position=place):
            raise CommandError(f"there is no rule {place}", returncode=1)
        self._print({"position": place, "state": "removed"}, f"rule {place} is gone", options)

    def _reattribute(
        self, organization: Organization, options: dict[str, Any], *, is_dry: bool
    ) -> None:
        start = midnight(options["start"], "--from", organization) or EARLIEST
        end = midnight(options["end"], "--to", organization) or LATEST
        console = Console(stderr=True)
        with Progress(console=console, disable=not console.is_terminal) as bar:
            task = bar.add_task("attributing", total=None)
            found = reattribute(
                organization_id=organization.pk,
                is_dry=is_dry,
                start=start,
                end=end,
                progress=lambda events: bar.advance(task, events),
            )
        for _, moved in sorted(found.moves.items()):
            self._print(_written_move(moved), _text_of_move(moved), options)
        self._print(*_total(found, is_dry=is_dry), options)

    def _print(self, told: dict[str, Any], text: str, options: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(told, ensure_ascii=False) if options["json"] else text)


def _written(rule: AttributionRule) -> dict[str, Any]:
    asked = {name: text for name, text in asdict(conditions_of(rule)).items() if text}
    return {"position": rule.position, "project": rule.project.slug, **asked}


def _text(rule: AttributionRule) -> str:
    asked = [f"{name}={text}" for name, text in asdict(conditions_of(rule)).items() if text]
    return f"{rule.position}. {', '.join(asked)} -> {rule.project.slug}"


def _written_move(moved: Moved) -> dict[str, Any]:
    costs = {currency: plain(amount) for currency, amount in sorted(moved.cost.items())}
    return {**asdict(moved), "cost": costs}


def _text_of_move(moved: Moved) -> str:
    costs = ", ".join(f"{plain(amount)} {code}" for code, amount in sorted(moved.cost.items()))
    return (
        f"{moved.from_project} -> {moved.to_project} ({moved.basis}): {moved.requests} requests"
        + (f", {costs}" if costs else "")
    )


def _total(found: Reattribution, *, is_dry: bool) -> tuple[dict[str, Any], str]:
    told = {
        "total": True,
        "is_dry": is_dry,
        "looked_at": found.looked_at,
        "events": found.events,
        "in_closed_months": found.in_closed_months,
    }
    text = f"{found.events} of {found.looked_at} events {'would move' if is_dry else 'moved'}"
    if found.in_closed_months:
        text += f"; {found.in_closed_months} stay in closed months"
    return told, text
