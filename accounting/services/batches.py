"""A batch on its way into the books: its records folded by key and rated, and who told them."""

from dataclasses import dataclass, field, replace

from accounting.domain.errors import DomainError
from accounting.domain.merging import conflicts, merge
from accounting.domain.naming import dedupe_key
from accounting.domain.periods import near_month_edge
from accounting.domain.ratebook import RateBook
from accounting.domain.tokens import COUNT_NAMES, TokenCounts
from accounting.domain.usage import UsageRecord
from accounting.models import Project
from accounting.services.charges import charge, charge_or_unpriced
from accounting.services.columns import Booked, Charge
from accounting.services.tellings import Refusal, Telling


@dataclass(slots=True)
class Tally:
    """What tellings came to so far: the keys that one speaks for, and what was decided among them.

    reported, untold: the kinds of tokens that some record told, and those that none did so far.
    """

    speaks_for: list[bytes] = field(default_factory=list)
    duplicates: int = 0
    conflicts: int = 0
    reported: set[str] = field(default_factory=set)
    refused: list[Refusal] = field(default_factory=list)
    untold: tuple[str, ...] = COUNT_NAMES

    def note(self, counts: TokenCounts) -> None:
        """Note which kinds a record tells."""
        told = [name for name in self.untold if getattr(counts, name) is not None]
        if told:
            self.reported.update(told)
            self.untold = tuple(name for name in self.untold if name not in told)


class Batch:
    """Records by their keys, each key once.

    wide: the keys that are looked for in every month. without_center: those that name no cost centre, so
    that theirs is their project's. tallies: of each import that tells something.
    """

    def __init__(self, organization_id: int, rates: RateBook) -> None:
        self.organization_id = organization_id
        self.folded: dict[bytes, UsageRecord] = {}
        self.wide: set[bytes] = set()
        self.without_center: set[bytes] = set()
        self.tallies: dict[int | None, Tally] = {}
        self._rates = rates
        self._charges: dict[bytes, Charge] = {}

    @property
    def all(self) -> Tally:
        """The tallies of all imports together."""
        return Tally(
            speaks_for=[key for tally in self.tallies.values() for key in tally.speaks_for],
            duplicates=sum(tally.duplicates for tally in self.tallies.values()),
            conflicts=sum(tally.conflicts for tally in self.tallies.values()),
            reported={name for tally in self.tallies.values() for name in tally.reported},
            refused=[one for tally in self.tallies.values() for one in tally.refused],
        )

    def add(self, telling: Telling) -> None:
        """Rate a telling and fold it in; the first that brings a key will speak for it."""
        tally = self.tallies.setdefault(telling.records[0].place.import_id, Tally())
        try:
            charges = [charge(record, self._rates) for record in telling.records]
        except DomainError as error:
            tally.refused.append(Refusal(line=telling.line, code=error.code, reason=str(error)))
            return
        for position, (record, its_charge) in enumerate(zip(telling.records, charges, strict=True)):
            tally.note(record.use.counts)
            self._fold(record, its_charge, tally if position == 0 else None)

    def _fold(self, record: UsageRecord, its_charge: Charge, deciding: Tally | None) -> None:
        """deciding: the tally of the telling whose outcome this record decides."""
        key = dedupe_key(self.organization_id, record.identity)
        if record.restamps or near_month_edge(record.place.started_at):
            self.wide.add(key)
        known = self.folded.get(key)
        if known is None:
            self.folded[key] = record
            self._charges[key] = its_charge
            if deciding:
                deciding.speaks_for.append(key)
            return
        if deciding:
            clash = conflicts(known.use, record.use)
            deciding.conflicts += clash
            deciding.duplicates += not clash
        self.folded[key] = merge(known, record)
        self._charges.pop(key, None)

    def rate_by(self, rates: RateBook) -> None:
        """Take newer prices: what was rated by an older version is rated again when it is booked."""
        if rates.version != self._rates.version:
            self._rates = rates
            self._charges.clear()

    def booked(self) -> list[Booked]:
        """The folded records in key order, charged, with their projects' cost centres."""
        centers = dict(Project.objects.of(self.organization_id).values_list("pk", "cost_center"))
        for key, record in self.folded.items():
            if not record.place.cost_center:
                self.without_center.add(key)
                if center := centers.get(record.place.project_id or 0):
                    self.folded[key] = in_center(record, center)
        return [
            self.book(key, self.folded[key], self._charges.get(key)) for key in sorted(self.folded)
        ]

    def book(self, key: bytes, record: UsageRecord, its_charge: Charge | None) -> Booked:
        """A record as a row of the ledger, rated unless its charge is known."""
        return Booked(
            organization_id=self.organization_id,
            key=key,
            record=record,
            charge=its_charge or charge_or_unpriced(record, self._rates),
            wide=key in self.wide,
        )


def in_center(record: UsageRecord, center: str) -> UsageRecord:
    """The same record in a cost centre."""
    return replace(record, place=replace(record.place, cost_center=center))
