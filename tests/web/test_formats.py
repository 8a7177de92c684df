"""What Tallybook reads, on a page."""

import pytest

from ingest.formats import FORMATS


def test_every_format_is_shown(page):
    text = page.get("/formats/").content.decode()
    assert all(f'id="{known.name}"' in text for known in FORMATS)


def test_a_sample_is_downloaded(page):
    text = page.get("/formats/?search=claude").content.decode()
    address = text.split('href="/formats/samples/')[1].split('"')[0]
    answer = page.get(f"/formats/samples/{address}")
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="')


@pytest.mark.parametrize("path", ["../../manage.py", "TRAPS.toml", "nothing.jsonl"])
def test_only_samples_are_given_away(page, path):
    assert page.get(f"/formats/samples/{path}").status_code == 404


def test_a_search_without_a_find_says_so(page):
    assert "No format has these words" in page.get("/formats/?search=zzzz").content.decode()
