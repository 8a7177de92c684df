"""Writes the catalogs of locale/ from the texts of templates and modules: `make translations`.

`python -m accounting.config.translations` brings in new texts, drops those that are gone, and writes the
compiled catalog beside the other, so that a fresh clone needs no gettext. With `--check` it only says
what is missing: a text without a translation, one whose placeholders differ, a catalog left behind.
"""

import ast
import io
import re
import sys
from collections.abc import Iterable, Iterator
from gettext import GNUTranslations
from importlib import import_module
from pathlib import Path

from babel.messages import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).parents[2]
CATALOG = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
COMPILED = CATALOG.with_suffix(".mo")
KEYWORDS = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
}
#: Modules that know no Django, whose dictionaries' texts a template translates when it shows them.
TEXTS = ("ingest/formats/codes.py",)
#: The same, whose function phrases() gives the texts; by name, as nothing of accounting imports ingest.
SPEAKERS = ("ingest.formats.catalogue",)
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}|%[%sd]|</?\w+>")
#: A text: what it is, its plural or '', its context or ''.
type Text = tuple[str, str, str]


def texts() -> set[Text]:
    """Every text that a page may show."""
    found = {(text, "", "") for path in TEXTS for text in _dictionary_texts(ROOT / path)}
    for name in SPEAKERS:
        found.update((text, "", "") for text in import_module(name).phrases())
    for folder in ("accounting", "ingest"):
        for path in (ROOT / folder).rglob("*.py"):
            found.update(_called(path.read_bytes()))
    for path in (ROOT / "templates").rglob("*.html"):
        code = templatize(path.read_text(), origin=str(path))
        found.update(_called("\n".join(line.lstrip() for line in code.split("\n")).encode()))
    return found


def brought_up(catalog: Catalog, wanted: Iterable[Text]) -> Catalog:
    """The catalog with exactly these texts: what is translated stays, what is new is empty."""
    fresh = Catalog(
        locale=catalog.locale,
        project="Tallybook",
        version="1",
        last_translator="Tallybook",
        language_team="Tallybook",
        msgid_bugs_address="none",
        header_comment="# Tallybook's texts. Written by `make translations`; translations are kept.",
        creation_date=catalog.creation_date,
        revision_date=catalog.revision_date,
        fuzzy=False,
    )
    for text, plural, context in sorted(wanted):
        name = (text, plural) if plural else text
        old = catalog.get(text, context or None)
        said = old.string if old is not None and not old.fuzzy and old.id == name else ""
        fresh.add(name, said or ("" if not plural else ("",)), context=context or None)
    return fresh


def complaints(catalog: Catalog, wanted: set[Text]) -> Iterator[str]:
    """What is wrong with a catalog, a line each."""
    known = {_text(message) for message in catalog if message.id}
    yield from (f"not in the catalog: {text[0]}" for text in sorted(wanted - known))
    yield from (f"shown nowhere any more: {text[0]}" for text in sorted(known - wanted))
    for message in catalog:
        if not message.id:
            continue
        original, said = _strings(message.id), _strings(message.string or "")
        if message.fuzzy or not all(said):
            yield f"not translated: {original[0]}"
        elif set(_placeholders(said[0])) != set(_placeholders(original[-1])):
            yield f"other placeholders than: {original[-1]}"


def compiled(path: Path) -> dict[object, str]:
    """What a compiled catalog says, by text."""
    return _spoken_by(path.read_bytes())


def spoken(catalog: Catalog) -> dict[object, str]:
    """What a catalog would say once it is compiled, by text."""
    return _spoken_by(written(catalog))


def loaded() -> Catalog:
    """The catalog as it stands; an empty one before the first."""
    if not CATALOG.exists():
        return Catalog(locale="zh_Hans")
    with CATALOG.open("rb") as file:
        return read_po(file, locale="zh_Hans")


def written(catalog: Catalog) -> bytes:
    """The compiled form of a catalog."""
    packed = io.BytesIO()
    write_mo(packed, catalog)
    return packed.getvalue()


def _called(code: bytes) -> Iterator[Text]:
    for _line, said, _comments, context in extract("python", io.BytesIO(code), keywords=KEYWORDS):
        text, plural = said if isinstance(said, tuple) else (said, "")
        yield text, plural, context or ""


def _dictionary_texts(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Dict):
            for value in node.values:
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.value


def _spoken_by(packed: bytes) -> dict[object, str]:
    # The header is left out: it names the version of the library that wrote it.
    found: dict[object, str] = vars(GNUTranslations(io.BytesIO(packed)))["_catalog"]
    return {name: said for name, said in found.items() if name}


def _text(message: Message) -> Text:
    names = _strings(message.id)
    return names[0], names[1] if len(names) > 1 else "", message.context or ""


def _strings(value: str | Iterable[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _placeholders(text: str) -> list[str]:
    return PLACEHOLDER.findall(text)


def main(words: list[str]) -> None:
    """Check, or write both files."""
    wanted, catalog = texts(), loaded()
    if "--check" not in words:
        catalog = brought_up(catalog, wanted)
        CATALOG.parent.mkdir(parents=True, exist_ok=True)
        with CATALOG.open("wb") as file:
            write_po(file, catalog, width=100, sort_output=True)
        COMPILED.write_bytes(written(catalog))
    wrong = list(complaints(catalog, wanted))
    sys.stdout.writelines(f"{line}\n" for line in wrong)
    if compiled(COMPILED) != spoken(catalog):
        sys.exit(f"{COMPILED.name} is out of date; run `make translations`")
    if wrong and "--check" in words:
        sys.exit(f"{len(wrong)} texts of {CATALOG.parent.parent.name} want care")


if __name__ == "__main__":
    main(sys.argv[1:])
