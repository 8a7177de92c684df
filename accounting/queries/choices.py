"""The conditions of an address: which parameters are one, and what it says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from accounting.queries.grammar import (
    DIMENSIONS,
    FIELDS,
    LONGEST_VALUE,
    MOST_VALUES,
    NONE,
    RELATIONS,
    FilterError,
    is_attribute,
    is_dimension,
)

_ORDER = {name: place for place, name in enumerate((*DIMENSIONS, *FIELDS))}
_MARKS = tuple(RELATIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One condition: the dimension is one of the values, none of them, or contains any of them.

    Values of project are slugs, of key names; '' is "has none", of attributes 'none' is.
    """

    name: str
    relation: str
    values: tuple[str, ...]


def condition_of(parameter: str) -> tuple[str, str] | None:
    """The name and mark that a parameter's name means; None where it is no condition.

    A tag key that ends in a mark can't be asked for: the mark is read as one.
    """
    mark = parameter[-1:] if parameter[-1:] in RELATIONS else ""
    name = parameter.removesuffix(mark)
    return (name, mark) if is_dimension(name) or name in FIELDS else None


def choices_of(params: Mapping[str, Sequence[str]]) -> tuple[Choice, ...]:
    """The conditions among parameters, tags last. Raises FilterError for values too long or many."""
    found: list[tuple[str, str, Choice]] = []
    for parameter, given in params.items():
        condition = condition_of(parameter)
        if condition is None or not given:
            continue
        name, mark = condition
        values = tuple(dict.fromkeys(given))
        _check(parameter, values)
        if is_attribute(name):
            values = tuple(dict.fromkeys(value or NONE for value in values))
        found.append((name, mark, Choice(name=name, relation=RELATIONS[mark], values=values)))
    found.sort(key=lambda one: (_ORDER.get(one[0], len(_ORDER)), one[0], _MARKS.index(one[1])))
    return tuple(choice for _, _, choice in found)


def _check(parameter: str, values: tuple[str, ...]) -> None:
    if len(values) > MOST_VALUES or any(
        len(value) > LONGEST_VALUE or "\0" in value for value in values
    ):
        raise FilterError(
            "bad_value",
            f"{parameter[:80]}: at most {MOST_VALUES} values of {LONGEST_VALUE} characters, no NUL",
            parameter[:80],
        )
