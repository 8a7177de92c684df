"""The snippets of docs/sending.md, as they are printed, for tests that execute them."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "sending.md"
ADDRESS, KEY = "http://127.0.0.1:8400", "YOUR-KEY"
_FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"# ([\w.]+)\n")


@dataclass(frozen=True)
class Snippet:
    """A fenced text. name: of the file it is, as its first line says, '' where it says none."""

    heading: str
    language: str
    text: str

    @property
    def name(self):
        named = _NAMED.match(self.text)
        return named[1] if named else ""

    def filled(self, *, address, key):
        """The text for a running server: nothing but its address and key are put in."""
        return self.text.replace(ADDRESS, address).replace(KEY, key)


def snippets(heading=None):
    """All snippets in the order of the page, or those below one heading."""
    found = []
    for section in PAGE.read_text().split("\n## ")[1:]:
        title = section.partition("\n")[0]
        found += [Snippet(title, *each) for each in _FENCED.findall(section)]
    return [one for one in found if heading in {None, one.heading}]
