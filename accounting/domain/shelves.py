"""One price book in memory: its rows by model, and the spellings under which they are found."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from accounting.domain.cards import Tray
from accounting.domain.models_named import index_of
from accounting.domain.rates import Book, Conditions, Match, Multiplier, Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """Another name of a listed model. provider: the provider of the record that uses the name."""

    provider: str
    alias: str
    model_provider: str
    model: str


class Shelf:
    """One book with its rows by model and the spellings under which they are found."""

    def __init__(
        self,
        book: Book,
        rates: Iterable[Rate],
        multipliers: Iterable[Multiplier],
        aliases: Iterable[Alias],
    ) -> None:
        """Sort the rows by (provider, model), '' being any; providers in lower case."""
        self.book = book
        self.rates: dict[tuple[str, str], list[Rate]] = {}
        self.multipliers: dict[tuple[str, str], list[Multiplier]] = {}
        for rate in rates:
            self.rates.setdefault((rate.provider.lower(), rate.model), []).append(rate)
        for factor in multipliers:
            name = (factor.provider.lower(), factor.model)
            self.multipliers.setdefault(name, []).append(factor)
        self._names: dict[str, set[str]] = {}
        for provider, model in (*self.rates, *self.multipliers):
            if model:
                self._names.setdefault(provider, set()).add(model)
        self._elsewhere: dict[str, dict[str, tuple[str, str]]] = {}
        own: dict[str, dict[str, str]] = {}
        for alias in aliases:
            provider, seller = alias.provider.lower(), alias.model_provider.lower()
            if alias.model not in self._names.get(seller, ()):
                continue
            if provider == seller:
                own.setdefault(provider, {})[alias.alias] = alias.model
            else:
                target = (seller, alias.model)
                self._elsewhere.setdefault(provider, {})[alias.alias] = target
        self._own_aliases = own
        self._indexes: dict[str, dict[str, str]] = {}

    def find(self, provider: str, keys: Sequence[str]) -> tuple[str, str] | None:
        """The listed (provider, model) that a record's provider and model keys mean, or None.

        Only names of that provider, names a person listed without a provider, and aliases count. A
        record that says no provider finds a model of the organization's own books where only one
        provider has the name; a list for everybody is never searched that way.
        """
        index = self._index(provider)
        elsewhere = self._elsewhere.get(provider, {})
        for key in keys:
            if key in index:
                return provider, index[key]
            if key in elsewhere:
                return elsewhere[key]
        unprovided = self._index("")
        for key in keys:
            if key in unprovided:
                return "", unprovided[key]
        if provider or not self.book.own:
            return None
        for key in keys:
            found = [(other, self._index(other).get(key)) for other in self._names]
            named = [(other, model) for other, model in found if model]
            if named:
                return named[0] if len(named) == 1 else None
        return None

    def tray(self, found: tuple[str, str] | None, provider: str, conditions: Conditions) -> Tray:
        """The rows for a model, those for any model among them, whose conditions are met."""
        names = [("", ""), (provider, "")] if provider else [("", "")]
        if found:
            names.append(found)
        return Tray(
            currency=self.book.currency,
            rates=[rate for name in names for rate in _met(self.rates.get(name, ()), conditions)],
            multipliers=[
                factor
                for name in names
                for factor in _met(self.multipliers.get(name, ()), conditions)
            ],
        )

    def _index(self, provider: str) -> dict[str, str]:
        index = self._indexes.get(provider)
        if index is None:
            index = index_of(self._names.get(provider, ()), self._own_aliases.get(provider, {}))
            self._indexes[provider] = index
        return index


def _met[M: Match](rows: Iterable[M], conditions: Conditions) -> list[M]:
    return [row for row in rows if set(row.conditions) <= set(conditions)]
