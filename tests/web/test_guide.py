"""The user guide names only what is there: pictures, pages, the words on them, other documents."""

import re
from pathlib import Path

import pytest
from django.urls import resolve

from accounting.config import translations
from tests.browser.pictures import PICTURES

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = ("guide.md", "guide.zh-hans.md")
PICTURE = re.compile(r"!\[[^]]+\]\(guide/([^)]+)\)")
DOCUMENT = re.compile(r"(?<!!)\[[^]]+\]\(([^):]+)\)")
PAGE = re.compile(r"`(/[a-z/]*)`")
BOLD = re.compile(r"\*\*(.+?)\*\*")
#: Sentences in bold begin a paragraph and end with a mark; what is no sentence stands on a page.
SENTENCE = re.compile(r"[.?。？]$")


def read(name):
    return (DOCS / name).read_text()


def labels(name):
    found = {" ".join(bold.split()) for bold in BOLD.findall(read(name))}
    return {label for label in found if not SENTENCE.search(label)}


def words_on_pages(place):
    """Texts of one form: as they are written (0) or in Chinese (1)."""
    pairs = [(one.id, one.string) for one in translations.loaded() if one.id]
    return {pair[place] for pair in pairs if isinstance(pair[0], str)}


def test_the_pictures_that_are_named_made_and_there_are_the_same():
    named = {picture for name in GUIDES for picture in PICTURE.findall(read(name))}
    assert named == {picture.file_name for picture in PICTURES}
    assert named == {path.name for path in (DOCS / "guide").iterdir()}


def test_pictures_stay_small_enough_for_a_clone():
    assert sum(path.stat().st_size for path in (DOCS / "guide").iterdir()) < 1_500_000


@pytest.mark.parametrize(("name", "place"), [(GUIDES[0], 0), (GUIDES[1], 1)])
def test_every_word_in_bold_stands_on_a_page(name, place):
    assert labels(name) - words_on_pages(place) == set()


@pytest.mark.parametrize("name", GUIDES)
def test_every_page_and_document_that_is_named_is_there(name):
    pages, documents = set(PAGE.findall(read(name))), set(DOCUMENT.findall(read(name)))
    assert len(pages) > 10
    for page in pages:
        resolve(page)
    assert [one for one in documents if not (DOCS / one).exists()] == []


def test_both_languages_tell_of_the_same_pages_in_the_same_order():
    english, chinese = (PAGE.findall(read(name)) for name in GUIDES)
    assert english == chinese
