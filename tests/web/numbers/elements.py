"""A page as a tree of elements: just enough to find numbers and say where they stand."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

#: Elements without an end.
VOID = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})


@dataclass(slots=True)
class Element:
    """One element. children: elements and texts, in their order."""

    tag: str
    attrs: dict[str, str] = field(default_factory=dict)
    children: list["Element | str"] = field(default_factory=list)

    @property
    def classes(self) -> set[str]:
        return set(self.attrs.get("class", "").split())

    @property
    def elements(self) -> list["Element"]:
        """The children that are no text."""
        return [one for one in self.children if isinstance(one, Element)]

    @property
    def text(self) -> str:
        """All text below, its white space collapsed."""
        return " ".join("".join(self._texts()).split())

    def every(self, tag: str) -> Iterator["Element"]:
        """The elements of a name below this one, outer ones first."""
        for one in self.elements:
            if one.tag == tag:
                yield one
            yield from one.every(tag)

    def _texts(self) -> Iterator[str]:
        for one in self.children:
            if isinstance(one, str):
                yield one
            else:
                yield " " if one.tag == "br" else "".join(one._texts())


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("document")]

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(self.open[-1].children[-1])

    def handle_startendtag(self, tag, attrs):
        found = {name: value or "" for name, value in attrs}
        self.open[-1].children.append(Element(tag, found))

    def handle_endtag(self, tag):
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data):
        self.open[-1].children.append(data)


def tree_of(page: str) -> Element:
    """A page's elements; every one that begins ends where it may."""
    builder = _Builder()
    builder.feed(page)
    builder.close()
    assert len(builder.open) == 1, f"<{builder.open[-1].tag}> has no end"
    return builder.open[0]
