"""From a table of no known format to usage in the books."""

from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from openpyxl import Workbook

from accounting.models import Import, Mapping, UsageEvent
from ingest.services.reading import read_waiting
from tests.factories import ProjectFactory

TABLE = "when,what,in,out\n2026-03-10T12:00:00Z,opal,1000,100\n2026-03-10T12:01:00Z,opal,7,3\n"
SAID = {
    "name": "house export",
    "column": ["when", "what", "in", "out"],
    "means": ["started_at", "model", "input_tokens", "output_tokens"],
    "time": "iso",
    "purpose": "usage",
    "fixed_provider": "testing",
}


@pytest.fixture(autouse=True)
def silence(monkeypatch):
    """No bell rings by itself: its thread would go on into the next test."""
    monkeypatch.setattr("ingest.api.push.ring", lambda: None)


def looked_at(page, content, name="house.csv", **more):
    sample = SimpleUploadedFile(name, content)
    return page.post("/imports/mapping/columns", {"sample": sample, **more})


def test_the_columns_of_a_table_are_shown_and_none_is_guessed(page):
    text = looked_at(page, TABLE.encode()).content.decode()
    assert text.count('name="means"') == 4
    assert "opal · opal" in text
    # The one word chosen beforehand is what a file counts as unless it is said.
    assert 'value="input_tokens" selected' not in text
    assert 'name="name" value="house"' in text


def test_headers_in_another_encoding_are_read_when_it_is_chosen(page):
    table = "时间,模型,输入\n2026-03-10,opal,1\n".encode("gb18030")
    assert "gb18030".upper() in looked_at(page, table).content.decode().upper()
    assert "模型" in looked_at(page, table, encoding="gb18030").content.decode()


def test_the_keys_of_json_lines_are_columns(page):
    text = looked_at(page, b'{"when": 1, "tokens": 5}\n', name="house.jsonl").content.decode()
    assert 'value="when"' in text
    assert 'value="tokens"' in text


def test_a_workbook_shows_its_header(page):
    book = Workbook()
    book.active.append(["when", "what"])
    book.active.append(["2026-03-10", "opal"])
    content = BytesIO()
    book.save(content)
    assert 'value="what"' in looked_at(page, content.getvalue(), name="a.xlsx").content.decode()


@pytest.mark.parametrize("content", [b"", b"Dear diary.\n", b"PK\x03\x04nonsense", b"a,a\n1,2\n"])
def test_what_is_no_table_is_refused_in_words(page, content):
    answer = looked_at(page, content)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()


def test_a_table_is_imported_by_what_was_said(page, organization):
    ProjectFactory(organization=organization, slug="default")
    answer = page.post("/imports/mapping/save", SAID)
    assert (answer.status_code, answer.json()) == (201, {"mapping": "house export"})
    sent = page.post(
        "/imports/upload?name=house.csv&mapping=house%20export",
        TABLE,
        content_type="application/octet-stream",
    )
    assert sent.status_code == 201
    read_waiting(seconds=20)
    source = Import.objects.get()
    assert (source.format, source.lines, source.recorded) == ("mapping", 2, 2)
    events = UsageEvent.objects.order_by("occurred_at")
    assert [(e.model, e.input_tokens, e.output_tokens) for e in events] == [
        ("opal", 1000, 100),
        ("opal", 7, 3),
    ]
    assert "house export" in page.get(f"/imports/{source.pk}/").content.decode()
    assert "<option>house export</option>" in page.get("/imports/").content.decode()
    saved = page.get("/imports/mapping/house%20export.json").json()
    assert saved["columns"] == {
        "started_at": "when",
        "model": "what",
        "input_tokens": "in",
        "output_tokens": "out",
    }


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"means": ["", "model", "input_tokens", ""]}, "started_at"),
        ({"time": ""}, "time is not said"),
        ({"means": ["started_at", "model", "input_tokens", "input_tokens"]}, "both said to be"),
        ({"means": ["started_at", "model", "input_tokens", "cache_read_input_tokens"]},
         "convention is not said"),
        ({"means": ["started_at", "model", "input_tokens", "status"]}, "statuses does not say"),
        ({"name": ""}, "This field is required"),
        ({"time": "pattern", "pattern": "%Y-%m-%d"}, "zone is not said"),
    ],
)  # fmt: skip
def test_what_is_left_open_is_asked_for_and_what_was_said_stays(page, changes, words):
    answer = page.post("/imports/mapping/save", {**SAID, **changes})
    assert answer.status_code == 422
    text = answer.content.decode()
    assert words in text
    assert 'value="model" selected' in text
    assert not Mapping.objects.exists()


def test_a_mapping_nobody_saved_is_refused(page):
    answer = page.post(
        "/imports/upload?mapping=none", TABLE, content_type="application/octet-stream"
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_mapping")
    assert not Import.objects.exists()


def test_an_unknown_table_leads_to_the_form(page):
    answer = page.post(
        "/imports/upload?name=house.csv", TABLE, content_type="application/octet-stream"
    )
    assert answer.json()["code"] == "unknown_format"
    text = page.get(f"/imports/{Import.objects.get().pk}/").content.decode()
    assert 'href="/imports/#mapping"' in text
