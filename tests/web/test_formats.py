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


def test_a_chinese_reader_finds_formats_by_chinese_words_and_by_their_names(page):
    chinese = {"Accept-Language": "zh-CN"}
    text = page.get("/formats/?search=会话记录", headers=chinese).content.decode()
    assert "Claude Code 的会话记录：每个内容块一行 JSON" in text
    assert "<code>isSidechain</code>" in text
    assert "GuideLLM" not in text
    assert (
        "GuideLLM 基准测试"
        in page.get("/formats/?search=guidellm", headers=chinese).content.decode()
    )
