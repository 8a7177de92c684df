"""Attribution rules of an organization: kept in order, and loaded for whoever attributes."""

from dataclasses import asdict, dataclass

from django.db import transaction
from django.db.models import F, Max

from accounting.domain.attribution import (
    BY_DEFAULT,
    BY_KEY,
    BY_RULE,
    Conditions,
    Facts,
    Rule,
    checked_conditions,
    first_fit,
)
from accounting.models import ApiKey, AttributionRule, Organization
from accounting.models.scoping import ScopedQuerySet
from accounting.services.tenants import default_project

#: Facts whose rule is remembered before all are forgotten: names come from logs.
REMEMBERED = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A project and what settled it, one of domain.attribution.BASES."""

    project_id: int
    basis: str


class Rules:
    """An organization's rules, in order."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self._rules = rules
        self._known: dict[Facts, Rule | None] = {}

    def __bool__(self) -> bool:
        return bool(self._rules)

    def settled(self, facts: Facts, *, otherwise: Settled) -> Settled:
        """The project of usage that names none: that of the first rule which fits, else the other."""
        rule = self.rule_for(facts)
        if rule is None:
            return otherwise
        return Settled(project_id=rule.project_id, basis=BY_RULE)

    def rule_for(self, facts: Facts) -> Rule | None:
        """The first rule that fits."""
        if facts not in self._known:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[facts] = first_fit(self._rules, facts)
        return self._known[facts]


def unnamed_project(organization_id: int, key: ApiKey | None) -> Settled:
    """The project of usage that names none where no rule fits: the key's, else the default one."""
    if key is not None:
        return Settled(project_id=key.project_id, basis=BY_KEY)
    return Settled(project_id=default_project(organization_id).pk, basis=BY_DEFAULT)


def loaded_rules(organization_id: int) -> Rules:
    """The rules that hold now; those of archived projects rest. One query."""
    rows = AttributionRule.objects.of(organization_id).filter(project__archived_at=None)
    return Rules(
        tuple(
            Rule(position=row.position, project_id=row.project_id, asks=conditions_of(row))
            for row in rows.order_by("position")
        )
    )


def conditions_of(row: AttributionRule) -> Conditions:
    """What a stored rule asks."""
    return Conditions(
        api_key_name=row.api_key_name,
        user_id=row.user_id,
        team=row.team,
        tag=row.tag,
        tag_value=row.tag_value,
        working_folder=row.working_folder,
    )


def add_rule(
    *, organization_id: int, project_id: int, asks: Conditions, position: int | None = None
) -> AttributionRule:
    """Keep a rule at a place, from 1 on, before the one that stood there; without a place, last.

    It holds for what is read from now on; see accounting.services.reattribution for the past.
    Raises BadRuleError.
    """
    checked_conditions(asks)
    with transaction.atomic():
        rules = _locked_rules(organization_id)
        last = rules.aggregate(last=Max("position"))["last"] or 0
        place = last + 1 if position is None else min(max(position, 1), last + 1)
        rules.filter(position__gte=place).update(position=F("position") + 1)
        return AttributionRule.objects.create(
            organization_id=organization_id,
            project_id=project_id,
            position=place,
            **asdict(asks),
        )


def remove_rule(*, organization_id: int, position: int) -> bool:
    """Drop the rule at a place, the later ones move up; whether there was one."""
    with transaction.atomic():
        rules = _locked_rules(organization_id)
        gone, _ = rules.filter(position=position).delete()
        rules.filter(position__gt=position).update(position=F("position") - 1)
        return gone > 0


def _locked_rules(organization_id: int) -> ScopedQuerySet[AttributionRule]:
    """The rules, kept from others who would change them until the transaction ends."""
    # NO KEY: rows that refer to the organization hold its key.
    Organization.objects.select_for_update(no_key=True).get(pk=organization_id)
    return AttributionRule.objects.of(organization_id)
