"""Every number of a page with its place: tile, table, chart or sentence. What is no number is left out."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from accounting.web import formatting
from tests.web.numbers.elements import Element, tree_of

_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_DATE = re.compile(rf"(\d{{1,2}} )?({_MONTHS})( \d{{4}})?(, \d\d:\d\d(:\d\d)?)?")
#: A number that stands for itself; gpt-5, claude-sonnet-4-5 and notes.2 have none.
_NUMBER = re.compile(
    r"(?<![\w.,/\-])[−+-]?\d+(?:,\d{3})*(?:\.\d+)?[KMBT]?(?: ?%| : 1|×| pp)?(?![\w\-]|[.,/]\d)"
)
#: Not read: names and addresses, what is entered, what leads elsewhere, and what only a voice says.
_SKIPPED_TAGS = frozenset(
    {"time", "code", "pre", "script", "svg", "nav", "select", "option", "button", "label", "input"}
)
_SKIPPED_CLASSES = frozenset(
    {"visually-hidden", "custom", "hint", "presets", "exports", "conditions"}
)

type Cells = dict[str, list[str]]
type Row = tuple[str, Cells]


@dataclass(slots=True)
class Chart:
    """A figure: the numbers of its caption, its table as rows of cells, and what is drawn."""

    caption: list[str]
    rows: list[tuple[str, dict[str, str]]]
    drawing: dict


@dataclass(slots=True)
class Numbers:
    """A page. told: by section, and in tiles by section and title; tables: by section."""

    told: dict[str, list[str]] = field(default_factory=dict)
    tables: dict[str, list[Row]] = field(default_factory=dict)
    charts: dict[str, Chart] = field(default_factory=dict)


def numbers_of(page: str) -> Numbers:
    """The numbers of a page's content."""
    found = Numbers()
    _read(next(tree_of(page).every("main")), "", found)
    return found


def numbers_in(text: str) -> list[str]:
    """The numbers of a text, dates left out; an exact one, which begins with '=', is one as it is."""
    return [text] if text.startswith("=") else _NUMBER.findall(_DATE.sub(" ", text))


def exact(value: object, currency: str = "") -> str:
    """An exact number as it is found on a page."""
    return f"={value} {currency}".rstrip()


def _read(element: Element, section: str, found: Numbers) -> None:
    if _is_skipped(element):
        return
    section = _section(element, section)
    match element.tag:
        case "figure":
            found.charts[element.attrs["data-chart"]] = _chart(element)
        case "table":
            rows = list(_rows(element))
            if any(cells or numbers_in(name) for name, cells in rows):
                found.tables.setdefault(section, []).extend(rows)
        case "dl":
            for title, numbers in _tiles(element):
                if numbers:
                    found.told.setdefault(f"{section}/{title}", []).extend(numbers)
        case _:
            _read_text(element, section, found)
            if element.tag != "data":
                for one in element.elements:
                    _read(one, section, found)


def _read_text(element: Element, section: str, found: Numbers) -> None:
    """What a sentence says, titles before what they are titles of."""
    texts = [one for one in element.children if isinstance(one, str)]
    numbers = [number for one in texts for number in numbers_in(one)]
    if element.tag == "data":
        numbers = [_exact(element)]
    if told := [*_titled(element), *numbers]:
        found.told.setdefault(section, []).extend(told)


def _section(element: Element, outer: str) -> str:
    if element.tag in {"section", "form", "details", "div"}:
        name = element.attrs.get("id") or element.attrs.get("aria-labelledby")
        if name and not (element.tag == "div" and not element.attrs.get("id")):
            return name
    return outer


def _is_skipped(element: Element) -> bool:
    is_link = element.attrs.get("id") == "address"  # the page's own, to be copied
    return (
        is_link or element.tag in _SKIPPED_TAGS or not _SKIPPED_CLASSES.isdisjoint(element.classes)
    )


def _numbers(element: Element) -> list[str]:
    """The numbers below an element, in order, with those of titles before what they are titles of."""
    if _is_skipped(element):
        return _titled(element)
    if element.tag == "data":
        return [_exact(element)]
    found = _titled(element)
    for one in element.children:
        found += numbers_in(one) if isinstance(one, str) else _numbers(one)
    return found


def _titled(element: Element) -> list[str]:
    return [] if element.tag == "data" else numbers_in(element.attrs.get("title", ""))


def _exact(element: Element) -> str:
    """An exact number; its title says every digit of it, and its text is one of the ways to read it."""
    value, _space, currency = element.attrs["value"], "", element.attrs["title"].partition(" ")[2]
    amount = Decimal(value)
    assert element.attrs["title"].rstrip() == f"{formatting.exact(amount)} {currency}".rstrip()
    if "money" in element.classes:
        columns = (formatting.money(amount, currency, decimals) for decimals in range(2, 13))
        readings = {formatting.short_money(amount, currency), formatting.money(amount, currency)}
        readings.update(columns)
    else:
        readings = {formatting.tokens(int(amount)), formatting.figure(int(amount))}
    assert element.text in readings, f"{element.text!r} is no way to read {value}"
    return exact(value, currency)


def _tiles(element: Element) -> Iterator[tuple[str, list[str]]]:
    for tile in element.elements:
        title = next(one for one in tile.every("dt"))
        name = next(one.strip() for one in title.children if isinstance(one, str) and one.strip())
        yield name, [n for one in tile.elements if one.tag == "dd" for n in _numbers(one)]


def _rows(table: Element) -> Iterator[Row]:
    heads = [head.text for row in table.every("thead") for head in row.every("th")]
    for part in table.elements:
        if part.tag not in {"tbody", "tfoot"}:
            continue
        for row in part.elements:
            name, cells = "", {}
            for place, cell in enumerate(row.elements):
                label = cell.attrs.get("data-label") or (heads[place] if heads else "")
                numbers = _numbers(cell)
                if cell.tag == "th":
                    name, label = _named(cell), cell.attrs.get("data-label", "")
                    numbers = numbers[len(numbers_in(name)) :]
                if numbers:
                    cells.setdefault(label, []).extend(numbers)
            yield name, cells


def _named(head: Element) -> str:
    """What a row is called: its link, else its first text."""
    link = next(head.every("a"), None)
    if link:
        return link.text
    return next(
        (
            one.text if isinstance(one, Element) else " ".join(one.split())
            for one in head.children
            if (one.text if isinstance(one, Element) else one.strip())
        ),
        "",
    )


def _chart(figure: Element) -> Chart:
    drawing = next(one for one in figure.every("script"))
    rows = []
    for table in figure.every("table"):
        heads = [head.text for row in table.every("thead") for head in row.every("th")]
        for row in [row for part in table.every("tbody") for row in part.elements]:
            cells = [f"{one.text}|{one.attrs['title']}" for one in row.elements if one.tag == "td"]
            rows.append((row.elements[0].text, dict(zip(heads[1:], cells, strict=True))))
    caption = next(figure.every("figcaption"))
    return Chart(
        caption=numbers_in(caption.text),
        rows=rows,
        drawing=json.loads("".join(map(str, drawing.children))),
    )
