"""Writes docs/formats.md from the formats themselves.

`python -m ingest.formats.documentation`; with `--check` it only says whether the page is right.
"""

import sys
from pathlib import Path

from ingest.formats.catalogue import FormatPage, Read, catalogue
from ingest.formats.codes import REFUSALS, REJECTIONS, SKIPS, WARNINGS

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
TOP = """\
# Log formats

Tallybook reads the logs below. It tells a format by what the file holds, not by its name, from its
first 64 KB; where two formats fit, or none, it says so and reads nothing. `manage.py sniff FILE`
shows what it makes of a file, `manage.py ingest --dry-run FILE` what it would count. Files may be
packed with gzip or zstd, begin with a byte-order mark, and end their lines either way.

*Identity* is what makes a record the same request as another one, so that a log that grew, was
copied or is told by two programs counts each request once. *Tokens* says whether the source's input
counts contain cached tokens. A count that a source does not tell stays unknown; it is never 0.

This page is written by `make docs` from the formats' own code in `ingest/formats/`.
"""


def page() -> str:
    """The whole page."""
    pages = catalogue()
    rows = (
        f"| [{each.title}](#{each.name}) | `{each.name}` | {_plain(each.where)} |\n"
        for each in pages
    )
    table = "\n| Source | `--format` | Where to find it |\n|---|---|---|\n" + "".join(rows)
    return TOP + table + _codes() + "".join(map(_section, pages))


def _codes() -> str:
    told = {
        "Why a record is rejected": REJECTIONS,
        "Why a file is refused": REFUSALS,
        "Why a record counts nothing": SKIPS,
        "What is pointed out about a record that counts": WARNINGS,
    }
    return "".join(
        f"\n## {title}\n\n| Code | Meaning |\n|---|---|\n"
        + "".join(f"| `{code}` | {_plain(words)} |\n" for code, words in table.items())
        for title, table in told.items()
    )


def _section(each: FormatPage) -> str:
    told = {
        "Found": each.where,
        "Files": "; ".join(each.units) + f" ({', '.join(each.extensions)})",
        "Tokens": each.convention,
        "Identity": each.key,
        "Read": each.scope,
        "Time": each.time,
        "Counts as": each.purpose,
        "Known from": each.source,
    }
    facts = "".join(f"- **{name}:** {_plain(words)}\n" for name, words in told.items())
    fields = "".join(f"- {_fields(read)}\n" for read in each.reads)
    samples = ", ".join(f"[{path}](../ingest/samples/{path})" for path in each.samples)
    return (
        f'\n<a id="{each.name}"></a>\n\n## {each.title}\n\n{_plain(each.about)}\n\n{facts}'
        f"\nFields read:\n\n{fields}\nSamples: {samples}\n"
    )


def _fields(read: Read) -> str:
    """The names; those inside one object stand together behind its name."""
    groups: dict[str, list[str]] = {}
    for name in read.names:
        parent, _, last = name.rpartition(".")
        groups.setdefault(parent, []).append(f"`{last}`")
    shown = (
        f"`{parent}` ({', '.join(names)})" if parent else ", ".join(names)
        for parent, names in groups.items()
    )
    return f"{_plain(read.meaning) or 'Inside another:'} {', '.join(shown)}"


def _plain(words: str) -> str:
    """Words in which nothing is markup."""
    return words.translate({ord(mark): f"\\{mark}" for mark in "<>*|"})


if __name__ == "__main__":
    if "--check" not in sys.argv:
        PAGE.write_text(page())
    elif not PAGE.exists() or PAGE.read_text() != page():
        sys.exit(f"{PAGE.name} is out of date; run `make docs`")
