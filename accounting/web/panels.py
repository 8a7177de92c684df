"""A chart as every page shows it: figure, caption, legend, and the table that says the same."""

from dataclasses import dataclass

from accounting.domain.values import quick
from accounting.web.charts import Figure, Layer
from accounting.web.formatting import UNKNOWN, Real
from accounting.web.readings import Reading, exact_text


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One amount of the table: as read, and exact."""

    text: str
    exact: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelRow:
    """One column of the chart as a row: a cell per layer, and their sum where there is one.

    link: where a click leads, '' nowhere.
    """

    name: str
    cells: tuple[Cell, ...]
    total: Cell | None = None
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One chart and what stands around it. key: its id in the page.

    headings: of the table's columns, where they are not those of the layers; first: of its rows.
    """

    key: str
    caption: str
    layers: tuple[Layer, ...]
    rows: tuple[PanelRow, ...]
    figure: Figure
    currency: str = ""
    has_total: bool = False
    headings: tuple[str, ...] = ()
    first: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """What the columns of the table are called."""
        return self.headings or tuple(layer.name for layer in self.layers)


def cell_of(value: Real | None, reading: Reading) -> Cell:
    """A value as a cell; what is unknown is a dash."""
    if value is None:
        return Cell(text=UNKNOWN, exact=UNKNOWN)
    return Cell(text=reading(value), exact=exact_text(value))
