"""Where an event that named no project belongs by the rules that hold now, and the row it becomes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from accounting.domain.attribution import REATTRIBUTABLE, Facts
from accounting.domain.ratebook import RateBook
from accounting.domain.usage import UsageRecord
from accounting.models import ApiKey, PriceBook, Project
from accounting.queries.prices import rates_of_version
from accounting.services.attribution import Settled, loaded_rules, unnamed_project
from accounting.services.charges import charge_or_unpriced
from accounting.services.columns import Booked, Charge, charge_of, record_of

#: Columns of the ledger from which it follows where an event belongs.
TELLING = (
    "project_id", "project_basis", "api_key_id", "api_key_name", "user_id", "team", "tags",
    "working_folder",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Key:
    name: str
    otherwise: Settled


class Movers:
    """The rules of an organization, its keys and projects, as they are when this is made."""

    def __init__(self, organization_id: int) -> None:
        """Four queries."""
        self._organization_id = organization_id
        self._rules = loaded_rules(organization_id)
        nobody = _Key(name="", otherwise=unnamed_project(organization_id, None))
        self._keys: dict[int | None, _Key] = {
            key.pk: _Key(name=key.name, otherwise=unnamed_project(organization_id, key))
            for key in ApiKey.objects.of(organization_id)
        } | {None: nobody}
        projects = Project.objects.of(organization_id).values_list("pk", "slug", "cost_center")
        self.slugs = {number: slug for number, slug, _ in projects}
        self._centers = {number: center for number, _, center in projects}
        self._tags: dict[str, tuple[tuple[str, str], ...]] = {}
        self._rates: dict[int, RateBook] = {}

    def belongs(self, values: Mapping[str, Any]) -> Settled | None:
        """Where an event belongs that stands elsewhere; None: it stays. values: of TELLING at least."""
        if values["project_basis"] not in REATTRIBUTABLE:
            return None
        key = self._keys[values["api_key_id"]]
        facts = Facts(
            api_key_name=values["api_key_name"] or key.name,
            user_id=values["user_id"],
            team=values["team"],
            tags=self._read_tags(values["tags"]),
            working_folder=values["working_folder"],
        )
        settled = self._rules.settled(facts, otherwise=key.otherwise)
        return None if settled.project_id == values["project_id"] else settled

    def moved(self, values: Mapping[str, Any]) -> Booked | None:
        """The row that a stored one becomes; None: it stays. values: a whole row of the ledger."""
        settled = self.belongs(values)
        if settled is None:
            return None
        record = record_of(values)
        center = self._center(record.place.cost_center, values["project_id"], settled.project_id)
        place = replace(
            record.place,
            project_id=settled.project_id,
            project_basis=settled.basis,
            cost_center=center,
        )
        record = replace(record, place=place)
        return Booked(
            organization_id=self._organization_id,
            key=values["dedupe_key"],
            record=record,
            charge=self._charge(values, record),
            wide=False,
            old_month=values["month"],
        )

    def _center(self, told: str, old_id: int, new_id: int) -> str:
        """The cost centre: a project's goes with it, another that the record told stays."""
        return told if told and told != self._centers[old_id] else self._centers[new_id]

    def _charge(self, values: Mapping[str, Any], record: UsageRecord) -> Charge:
        """What a moved event costs: the same, unless one of its projects has prices of its own."""
        old = charge_of(values)
        if self._with_prices.isdisjoint({values["project_id"], record.place.project_id}):
            return old
        if old.price_version not in self._rates:
            self._rates[old.price_version] = rates_of_version(
                self._organization_id, old.price_version
            )
        new = charge_or_unpriced(record, self._rates[old.price_version])
        return new._replace(filled_in=old.filled_in)

    @cached_property
    def _with_prices(self) -> frozenset[int]:
        books = PriceBook.objects.filter(organization_id=self._organization_id)
        return frozenset(books.exclude(project=None).values_list("project_id", flat=True))

    def _read_tags(self, text: str) -> tuple[tuple[str, str], ...]:
        if text not in self._tags:
            if len(self._tags) >= 20_000:
                self._tags.clear()
            self._tags[text] = tuple(sorted(json.loads(text).items()))
        return self._tags[text]
