"""The page of formats is made from the formats: none lacks its fields, its words or a sample."""

import pytest

from ingest.formats import FORMATS
from ingest.formats.catalogue import catalogue, sample_bytes
from tests.formats.reading import detected

PAGES = {page.name: page for page in catalogue()}


def test_every_format_has_a_page():
    assert PAGES.keys() == {known.name for known in FORMATS}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_tells_everything(name):
    page = PAGES[name]
    assert all([page.title, page.about, page.where, page.source, page.key, page.units])
    assert page.reads, "a decoder, or COLUMNS where a table is read without one"
    assert page.samples


@pytest.mark.parametrize("name", PAGES)
def test_a_sample_can_be_downloaded_and_is_of_its_format(name):
    for path in PAGES[name].samples:
        body = sample_bytes(path)
        assert body is not None
        assert detected(body, path).format.name == name


@pytest.mark.parametrize("path", ["../conftest.py", "amp/none.json", "", "/etc/passwd"])
def test_nothing_else_can_be_downloaded(path):
    assert sample_bytes(path) is None


def names(of):
    return [name for read in PAGES[of].reads for name in read.names]


def test_fields_are_named_as_the_source_writes_them():
    assert {"sessionId", "requestId", "usage.cache_read_input_tokens"} <= set(names("claude_code"))
    assert "usageLedger.events[]" in names("amp")
    assert "Input (w/ Cache Write)" in names("cursor_csv")


def test_fields_of_a_helper_are_found():
    assert {"cache_tokens", "quota"} <= set(names("newapi"))
