"""The pages about imports."""

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from accounting.domain.changes import Change
from accounting.models import Import
from accounting.web.polling import pause_s
from ingest.models import InboxChunk
from ingest.services.paths import read_path
from ingest.services.receive import Sender
from ingest.web.progress import progress_of
from tests.factories import ImportFactory, ProjectFactory, RejectionFactory


def test_another_organizations_import_is_not_there(page):
    foreign = ImportFactory()
    assert page.get(f"/imports/{foreign.pk}/").status_code == 404


def test_another_organizations_import_is_not_listed(page):
    ImportFactory(name="theirs.jsonl")
    assert "theirs.jsonl" not in page.get("/imports/").content.decode()


def test_the_result_is_one_sentence_and_the_rejections_stand_below_it(page, organization):
    change = Change(requests=48_211, cost={"USD": Decimal("182.4")}, unpriced_requests=2)
    source = ImportFactory(
        organization=organization,
        lines=48_246,
        recorded=48_211,
        duplicates=31,
        rejected=4,
        change=change.as_json(),
    )
    RejectionFactory(source_import=source, line=17, reason="output_tokens = -1, expected >= 0")
    text = page.get(f"/imports/{source.pk}/").content.decode()
    assert "48,211 requests" in text
    assert "31 duplicates" in text
    assert '<a href="#rejections">4 rejected</a>' in text
    assert "182.40" in text
    assert "2 without a price" in text
    assert "output_tokens = -1, expected &gt;= 0" in text


def test_a_rejection_of_a_folder_says_its_file_and_line(page, organization):
    source = ImportFactory(organization=organization, lines=1, rejected=1)
    RejectionFactory(source_import=source, path="logs/march.jsonl", line=17)
    text = page.get(f"/imports/{source.pk}/").content.decode()
    assert '<th scope="row" class="wrap-anywhere path">logs/march.jsonl</th>' in text
    assert ">17</td>" in text


def test_doubts_about_counted_lines_are_shown_in_words(page, organization):
    source = ImportFactory(
        organization=organization, options={"warnings": {"inconsistent_total": 3}}
    )
    text = page.get(f"/imports/{source.pk}/").content.decode()
    assert "the total it reports is not the sum of what it lists" in text
    assert 'data-label="How many">3</td>' in text


def test_doubts_name_the_lines_they_are_about(page, organization):
    told = {
        "warnings": {"in_future": 2, "likely_seconds": 30},
        "warned_lines": {"in_future": [["", 1204], ["", 17]], "likely_seconds": [["b.log", 3]]},
    }
    source = ImportFactory(organization=organization, options=told)
    text = page.get(f"/imports/{source.pk}/").content.decode()
    assert "<span>17, 1,204</span>" in text
    assert "<span>b.log:3 …</span>" in text


def test_the_list_says_what_became_of_every_line(page, organization):
    counts = {"recorded": 11, "updated": 12, "duplicates": 13, "conflicts": 14, "skipped": 15}
    ImportFactory(organization=organization, lines=81, rejected=16, **counts)
    text = page.get("/imports/").content.decode()
    for number in (81, 11, 12, 13, 14, 15, 16):
        assert f'<data value="{number}"' in text


def test_why_a_whole_file_was_refused_is_said_once(page, organization):
    source = ImportFactory(
        organization=organization, state="failed", error_code="empty_file", reason="nothing in it"
    )
    RejectionFactory(source_import=source, line=None, code="empty_file", reason="nothing in it")
    assert page.get(f"/imports/{source.pk}/").content.decode().count("nothing in it") == 1


def test_a_report_is_shown_apart_from_what_was_counted(page, organization):
    told = {"requests": 5, "reported_cost": {"USD": "1.25"}, "credits": None}
    source = ImportFactory(organization=organization, options={"aggregate": told})
    text = page.get(f"/imports/{source.pk}/").content.decode()
    assert "A report, kept for comparison" in text
    assert 'value="1.25"' in text


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("Dear diary, hello", "no known format: CSV with 2 columns"),
        ("Dear diary", "no known format: a text"),
        ('{"hello": "Dear diary"}', "no known format: JSON with 1 key: hello"),
    ],
)
def test_a_refused_file_says_why_and_shows_none_of_its_text(page, organization, body, reason):
    page.post("/imports/upload", body, content_type="application/octet-stream")
    source = Import.objects.get()
    text = page.get(f"/imports/{source.pk}/").content.decode()
    assert reason in text
    assert "unknown_format" in text
    assert "diary" not in text


@pytest.fixture
def half_read(organization):
    source = ImportFactory(organization=organization, state="reading", name="long.jsonl")
    for number, state in enumerate(("done", "ready"), start=1):
        InboxChunk.objects.create(
            organization=organization, source_import=source, number=number, state=state, size=500
        )
    return source


def test_progress_is_the_share_of_bytes_that_were_read(half_read):
    assert progress_of(half_read).percent == 50


def test_an_unfinished_import_asks_again_by_itself(page, half_read):
    text = page.get(f"/imports/{half_read.pk}/").content.decode()
    assert 'hx-trigger="load delay:1s"' in text
    assert "50 %" in text


def test_the_fragment_of_a_finished_import_asks_no_more(page, organization):
    source = ImportFactory(organization=organization, lines=1, recorded=1)
    answer = page.get(f"/imports/{source.pk}/?poll=3", headers={"hx-request": "true"})
    text = answer.content.decode()
    assert "hx-trigger" not in text
    assert "<html" not in text


def test_a_quarter_is_spoken_once(page, half_read):
    headers = {"hx-request": "true"}
    first = page.get(f"/imports/{half_read.pk}/?poll=1&said=25", headers=headers)
    again = page.get(f"/imports/{half_read.pk}/?poll=2&said=50", headers=headers)
    assert "hx-swap-oob" in first.content.decode()
    assert "hx-swap-oob" not in again.content.decode()


@pytest.mark.parametrize(("polls", "seconds"), [(0, 1), (5, 2), (12, 3), (99, 5)])
def test_asking_slows_down(polls, seconds):
    assert pause_s(polls) == seconds


def test_the_list_pages_by_number(page, organization):
    ImportFactory.create_batch(51, organization=organization)
    newest = Import.objects.order_by("-pk")[49].pk
    assert f"?before={newest}" in page.get("/imports/").content.decode()
    assert "rel=&quot;next" not in page.get(f"/imports/?before={newest}").content.decode()


def test_a_page_number_that_is_none_is_ignored(page):
    assert page.get("/imports/?before=x&poll=-1").status_code == 200


@pytest.mark.parametrize(
    ("door", "options", "words"),
    [
        ("upload", {}, 'arrived here, <time datetime="2026-10-01T12:00:00+00:00">'),
        ("command", {}, "Dated by when the file was last changed."),
        (
            "upload",
            {"started_at": "2026-09-01T08:00:00+00:00"},
            'was chosen, <time datetime="2026-09-01T08:00:00+00:00">',
        ),
    ],
)
def test_records_without_a_time_say_what_dated_them(page, organization, door, options, words):
    source = ImportFactory(
        organization=organization,
        door=door,
        received_at=datetime(2026, 10, 1, 12, tzinfo=UTC),
        options={"assumed_times": 2, **options},
    )
    text = page.get(f"/imports/{source.pk}/").content.decode()
    assert "2 records name no time of their own." in text
    assert words in text


def test_records_without_a_time_are_counted_when_they_are_read(page, organization):
    ProjectFactory(organization=organization, slug="default")
    sample = Path(__file__).parents[1] / "samples" / "codex_exec" / "run.jsonl"
    read_path(str(sample), sender=Sender(organization_id=organization.pk))
    source = Import.objects.get()
    assert source.options["assumed_times"] == source.recorded > 0


def test_failed_requests_are_told_beside_the_others(page, organization):
    change = Change(requests=3, errors=1)
    source = ImportFactory(organization=organization, lines=4, recorded=4, change=change.as_json())
    text = page.get(f"/imports/{source.pk}/").content.decode()
    assert "3 requests</a> and 1 failed," in text
    assert '<dd class="sub">and 1 failed</dd>' in text


def test_a_refused_import_of_the_list_says_why_to_the_script(page, organization):
    ImportFactory(organization=organization, state="failed", reason="nothing in it")
    ImportFactory(organization=organization, lines=3, recorded=2, duplicates=1)
    text = page.get("/imports/").content.decode()
    assert 'data-said="nothing in it"' in text
    assert 'data-said="recorded: 2, duplicates: 1, rejected: 0"' in text


def test_a_refusal_is_told_in_the_language_where_the_file_is_listed(page, organization):
    ImportFactory(
        organization=organization, state="failed", error_code="empty_file", reason="0 bytes"
    )
    chinese = page.get("/imports/", headers={"Accept-Language": "zh-CN"}).content.decode()
    assert 'data-said="内容为空（0 bytes）"' in chinese
    assert 'data-said="0 bytes"' in page.get("/imports/").content.decode()


def test_a_refused_upload_says_why_in_the_language(page, organization):
    ask = {"content_type": "application/octet-stream", "headers": {"Accept-Language": "zh-CN"}}
    answer = page.post("/imports/upload?name=a.txt", b"Dear diary.", **ask)
    assert answer.status_code == 422
    assert answer.json()["said"].startswith("未知格式（")
