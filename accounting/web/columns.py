"""Headings of tables that sort."""

from dataclasses import dataclass

from django.utils.functional import Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A heading that sorts. order: what its link asks for; sorted: aria-sort, '' when by another."""

    label: Promise | str
    order: str
    sorted: str
    is_number: bool


def column(name: str, label: Promise | str, order: str, *, is_number: bool = True) -> Column:
    """A heading under the present order; a click sorts downwards first, a second turns it round."""
    return Column(
        label=label,
        order=name if order == f"-{name}" else f"-{name}",
        sorted={name: "ascending", f"-{name}": "descending"}.get(order, ""),
        is_number=is_number,
    )
