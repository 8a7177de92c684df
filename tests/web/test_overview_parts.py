"""What of the Overview comes by itself, and that it is all there for who runs no scripts."""

import re

import pytest

from tests.web.october import OCTOBER, october, read

PARTIAL = {"HX-Request-Type": "partial"}
NO_SCRIPTS = re.compile(
    r'<noscript><meta http-equiv="refresh" content="0; url=([^"]+)"></noscript>'
)


@pytest.fixture
def books(client, db):
    return october(client)


def asks(text):
    """The addresses that the page will ask by itself, without their parameters."""
    return [found.split("?")[0] for found in re.findall(r'hx-get="([^"]+)"', text)]


def test_the_page_leaves_room_for_parts_and_asks_for_each_once(client, books):
    text = read(client, f"/?{OCTOBER}&model=opal")
    assert asks(text) == ["/overview/sessions/", "/overview/month/", "/overview/projects/"]
    assert text.count(f'hx-get="/overview/month/?{OCTOBER}&model=opal"'.replace("&", "&amp;")) == 1


def test_who_runs_no_scripts_is_led_to_the_whole_page(client, books):
    text = read(client, f"/?{OCTOBER}")
    there = NO_SCRIPTS.search(text)[1].replace("&amp;", "&")
    assert there == f"/?{OCTOBER}&whole=yes"
    whole = read(client, there)
    assert asks(whole) == []
    assert not NO_SCRIPTS.search(whole)
    assert "data-part" not in whole
    assert "at the end of" in whole
    # What leads on stays whole, but no other page knows the word.
    assert "range=7d" in whole
    assert re.search(r'href="\?[^"]*whole=yes[^"]*range=7d"', whole)
    assert not re.search(r'href="/\w[^"]*whole=yes', whole)


def test_an_address_that_was_not_read_has_no_parts_to_ask_for(client, books):
    for wrong in ("range=nonsense", "whole=perhaps"):
        answer = client.get(f"/?{wrong}")
        assert answer.status_code == 400
        assert asks(answer.content.decode()) == []


def test_a_part_is_only_what_goes_into_its_room(client, books):
    part = client.get(f"/overview/sessions/?{OCTOBER}", headers=PARTIAL).content.decode()
    assert part.lstrip().startswith("<dd>")
    assert "<html" not in part
    part = client.get(f"/overview/month/?{OCTOBER}", headers=PARTIAL).content.decode()
    assert part.lstrip().startswith('<div id="projected">')
    assert 'id="ahead"' in part
    assert "<html" not in part
    part = client.get(f"/overview/projects/?{OCTOBER}", headers=PARTIAL).content.decode()
    assert part.lstrip().startswith('<section class="card" id="projects"')
    assert f'href="?{OCTOBER}&project=search"'.replace("&", "&amp;") in part


def test_a_chart_by_project_has_its_table_at_once(client, books):
    text = read(client, f"/?{OCTOBER}&group=project")
    assert asks(text) == ["/overview/sessions/", "/overview/month/"]
    assert 'id="projects"' in text


def test_an_answer_leaves_no_room_for_that_of_another_question(client, books):
    rooms = [re.search(r'id="median-(\w+)"', read(client, f"/?{OCTOBER}"))[1] for _turn in range(2)]
    assert rooms[0] != rooms[1]


def test_books_that_are_empty_ask_for_nothing(page):
    text = read(page, "/")
    assert asks(text) == []
    assert not NO_SCRIPTS.search(text)
