"""A page beside what REST says of its address: claimed place by place, until nothing is left."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from django.http import QueryDict

from tests.web.numbers.reading import Cells, Chart, Numbers
from tests.web.numbers.rest import Rest


@dataclass(slots=True)
class Seen:
    """One page that was opened. query: of its address."""

    rest: Rest
    query: str
    numbers: Numbers
    zone: ZoneInfo

    @property
    def own(self) -> str:
        """The organization's currency."""
        return self.rest.own

    def asked(self, name: str, default: str = "") -> str:
        """A parameter of the address."""
        return QueryDict(self.query).get(name, default)

    def told(self, place: str, *expected: Iterable[str | None] | str | None) -> None:
        """The numbers of a section or a tile, in order; None is no number."""
        wanted = [
            number
            for part in expected
            if part is not None
            for number in ([part] if isinstance(part, str) else part)
            if number is not None
        ]
        found = self.numbers.told.pop(place, [])
        assert found == wanted, f"{place}: {found}, REST says {wanted}"

    def table(self, section: str, rows: Iterable[tuple[str, Mapping[str, list]]]) -> None:
        """A table, whose rows may stand in any order: names with the numbers of each cell."""
        wanted = [(name, _known(cells)) for name, cells in rows]
        found = self.numbers.tables.pop(section, [])
        said, meant = _sorted(found), _sorted(wanted)
        only = {
            "page": [row for row in said if row not in meant],
            "REST": [row for row in meant if row not in said],
        }
        assert said == meant, f"{section}: {only}"

    def chart(self, key: str) -> Chart:
        """A chart, which whoever asks for it compares."""
        return self.numbers.charts.pop(key)

    def is_all_compared(self) -> None:
        """A number that nobody claimed is one that nobody compares."""
        left = {**self.numbers.told, **self.numbers.tables, **self.numbers.charts}
        assert not left, f"nobody compares {left}"


def _known(cells: Mapping[str, list]) -> Cells:
    found = {name: [one for one in numbers if one is not None] for name, numbers in cells.items()}
    return {name: numbers for name, numbers in found.items() if numbers}


def _sorted(rows: Iterable[tuple[str, Cells]]) -> list[str]:
    return sorted(json.dumps(row, ensure_ascii=False, sort_keys=True) for row in rows)
