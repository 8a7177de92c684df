"""Every price that holds for one organization at one version: rates a record in a few µs."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from operator import attrgetter

from accounting.domain.cards import Card
from accounting.domain.conversions import Conversions
from accounting.domain.models_named import model_keys, provider_in_name
from accounting.domain.naming import provider_id
from accounting.domain.outcomes import plainly_rated, rated
from accounting.domain.plans import Plan
from accounting.domain.rates import Conditions, conditions_of
from accounting.domain.rating import Line, Rating
from accounting.domain.shelves import Shelf
from accounting.domain.usage import Use

#: Cards of distinct (provider, model, conditions) kept for a chain before all are dropped: names come from logs.
CARDS_KEPT = 20_000
#: What of a use decides which prices hold for it, besides its moment and its input.
_FACETS = attrgetter(
    "provider",
    "response_model",
    "request_model",
    "service_tier",
    "processing",
    "speed",
    "region",
    "route",
)
#: Which books are asked: one by its code, '' for all; and of which project own books are among them.
type _Chain = tuple[str, int | None]
_ORGANIZATION: _Chain = ("", None)


@dataclass(frozen=True, slots=True)
class _Opened:
    """A card with the provider and model it is shown under."""

    card: Card
    names: tuple[str, str]


class RateBook:
    """A whole price version. Immutable but for the cards it compiles as models turn up."""

    def __init__(self, version: int, shelves: Iterable[Shelf], conversions: Conversions) -> None:
        """shelves: any order; their books' ranks say which is asked first."""
        self.version = version
        self.conversions = conversions
        self._shelves = sorted(shelves, key=lambda shelf: shelf.book.rank)
        self._projects = {shelf.book.project_id for shelf in self._shelves} - {None}
        self._cards: defaultdict[_Chain, dict[tuple[str, ...], _Opened]] = defaultdict(dict)

    def rate(
        self, use: Use, started_at: datetime, *, project_id: int | None = None, requests: int = 1
    ) -> Rating:
        """Price one request part at the prices in force when the request started.

        project_id: whose own books come first. requests: 0 for parts that are no request.
        Raises BadCountError where parts exceed their whole, BadAmountError above a bigint.
        """
        chain = ("", project_id) if project_id in self._projects else _ORGANIZATION
        opened = self._cards[chain].get(_FACETS(use)) or self._opened(use, chain)
        input_tokens = use.counts.input_tokens
        if input_tokens is not None:
            plan = opened.card.plan(started_at, input_tokens)
            if plan.steps is not None:
                rating = plainly_rated(plan, plan.steps, use, opened.names)
                if rating is not None:
                    return rating
        plan_for = partial(opened.card.plan, started_at)
        return rated(plan_for, use, opened.names, requests)

    def explain(
        self,
        use: Use,
        started_at: datetime,
        *,
        project_id: int | None = None,
        requests: int = 1,
        book: str | None = None,
    ) -> tuple[Rating, tuple[Line, ...]]:
        """The same price with its lines, one for each unit used.

        book: only this one and its parents; with a project_id one that this project may use.
        """
        lines: list[Line] = []
        chain = (book, project_id) if book else self._of_project(project_id)
        opened = self._opened(use, chain)
        plan_for = partial(opened.card.plan, started_at)
        rating = rated(plan_for, use, opened.names, requests, lines)
        return rating, tuple(lines)

    def plan(
        self, use: Use, at: datetime, input_tokens: int, *, project_id: int | None = None
    ) -> Plan:
        """The prices that would hold for such a request, without one."""
        return self._opened(use, self._of_project(project_id)).card.plan(at, input_tokens)

    def is_steady(self, use: Use, start: datetime, end: datetime) -> bool:
        """Whether such requests have one price from start until before end, whenever they start."""
        return self._opened(use, _ORGANIZATION).card.is_steady(start, end)

    def has_book(self, code: str, *, project_id: int | None = None) -> bool:
        """Whether there is a price book of that code: with a project_id, one that it may use."""
        return any(shelf.book.code == code for shelf in self._seen_by(project_id))

    def credits(self, cost: int, currency: str, at: datetime) -> int | None:
        """A cost in the organization's credits, both in picos; None while no rate says how many."""
        return self.conversions.credits(cost, currency, at)

    def base(self, cost: int, currency: str, at: datetime) -> int | None:
        """A cost in the organization's currency, in picos; None while there is no FX rate."""
        return self.conversions.base(cost, currency, at)

    def _of_project(self, project_id: int | None) -> _Chain:
        """All books for a project: one without books of its own shares the organization's cards."""
        return ("", project_id) if project_id in self._projects else _ORGANIZATION

    def _opened(self, use: Use, chain: _Chain) -> _Opened:
        cards, facets = self._cards[chain], _FACETS(use)
        opened = cards.get(facets)
        if opened is None:
            if len(cards) >= CARDS_KEPT:
                cards.clear()
            opened = cards[facets] = self._open(use, self._chain(chain))
        return opened

    def _open(self, use: Use, shelves: list[Shelf]) -> _Opened:
        provider = provider_id(use.provider) or provider_in_name(use.model)
        seller, keys = provider.lower(), model_keys(use.model)
        conditions = _conditions(use)
        found = [shelf.find(seller, keys) for shelf in shelves]
        trays = [
            shelf.tray(name, seller, conditions) for shelf, name in zip(shelves, found, strict=True)
        ]
        named = [name for name in found if name]
        return _Opened(
            Card(trays, conditions),
            (
                provider or (named[-1][0] if named else ""),
                named[-1][1] if named else use.model.strip(),
            ),
        )

    def _chain(self, key: _Chain) -> list[Shelf]:
        code, project_id = key
        if code:
            seen = self._seen_by(project_id)
            return self._with_parents([shelf for shelf in seen if shelf.book.code == code][:1])
        return self._with_parents(
            [shelf for shelf in self._shelves if shelf.book.project_id in {None, project_id}]
        )

    def _seen_by(self, project_id: int | None) -> list[Shelf]:
        """The shelves that a project may use; None: that the organization may, which is all."""
        if project_id is None:
            return self._shelves
        return [shelf for shelf in self._shelves if shelf.book.project_id in {None, project_id}]

    def _with_parents(self, shelves: list[Shelf]) -> list[Shelf]:
        """The shelves in their order, each followed by its parents, each once."""
        by_id = {shelf.book.id: shelf for shelf in self._shelves}
        chain: dict[int, Shelf] = {}
        for shelf in shelves:
            next_id: int | None = shelf.book.id
            while next_id is not None and next_id in by_id and next_id not in chain:
                chain[next_id] = by_id[next_id]
                next_id = by_id[next_id].book.parent_id
        return list(chain.values())


def _conditions(use: Use) -> Conditions:
    """What a price may depend on; a tier called batch is how the request was processed."""
    tier, processing = use.service_tier, use.processing
    if tier.strip().lower() == "batch":
        tier, processing = "", processing or "batch"
    return conditions_of(
        {
            "processing": processing,
            "region": use.region,
            "route": use.route,
            "service_tier": tier,
            "speed": use.speed,
        }
    )
