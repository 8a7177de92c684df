"""Simplified Chinese is complete, and chosen by the browser or by the reader."""

import re

import pytest
from django.urls import reverse

from accounting.config import translations
from tests.factories import ImportFactory, RejectionFactory
from tests.web.test_pages import PAGES

#: Commands, what is read by nobody or typed and not read; then every tag.
UNREAD = re.compile(
    r"manage\.py [ -~]*|<(script|pre|code|select|template)\b.*?</\1>|<[^>]*>", re.DOTALL
)
#: Other people's commands and menus, which are called that in every language.
FOREIGN = re.compile(
    "Billing and licensing|Get usage report|Download trace as JSON|vllm bench serve", re.IGNORECASE
)
#: Three English words in a row, of which the last two are no names.
SENTENCE = re.compile(r"[A-Za-z]+(?: [a-z]{2,}){2,}")


def test_every_text_is_translated_and_the_catalog_is_compiled():
    catalog = translations.loaded()
    assert list(translations.complaints(catalog, translations.texts())) == []
    assert translations.compiled(translations.COMPILED) == translations.spoken(catalog)


def test_a_missing_a_stale_and_a_wrong_translation_are_found():
    catalog = translations.brought_up(
        translations.loaded(), {("%(n)s rows", "", ""), ("Gone", "", "")}
    )
    catalog.get("%(n)s rows").string = "%(m)s 行"
    catalog.get("Gone").string = "没了"
    assert list(translations.complaints(catalog, {("%(n)s rows", "", ""), ("New", "", "")})) == [
        "not in the catalog: New",
        "shown nowhere any more: Gone",
        "other placeholders than: %(n)s rows",
    ]


def test_bringing_up_keeps_what_is_translated_and_leaves_new_texts_empty():
    catalog = translations.brought_up(
        translations.loaded(), {("Overview", "", ""), ("New!", "", "")}
    )
    assert catalog.get("Overview").string == "概览"
    assert catalog.get("New!").string == ""


def test_the_browser_chooses_the_language(page):
    text = page.get("/settings/", headers={"Accept-Language": "zh-CN,en;q=0.5"}).content.decode()
    assert '<html lang="zh-hans"' in text
    assert "<h1>设置</h1>" in text


def test_the_readers_choice_comes_before_the_browsers(page):
    answer = page.post("/settings/preferences", {"language": "zh-hans", "next": "/sessions/"})
    assert answer.headers["Location"] == "/sessions/"
    text = page.get("/sessions/", headers={"Accept-Language": "en"}).content.decode()
    assert "<h1>会话</h1>" in text
    page.post("/settings/preferences", {"language": ""})
    assert "<h1>Sessions</h1>" in page.get("/sessions/").content.decode()


def test_a_choice_is_confirmed_in_the_language_that_was_chosen(page):
    answer = page.post("/settings/preferences", {"language": "zh-hans"}, follow=True)
    assert "您的选择已保存在此浏览器中。" in answer.content.decode()


def test_a_language_that_is_not_offered_is_refused_in_words(page):
    answer = page.post("/settings/preferences", {"language": "tlh"}, follow=True)
    assert "tlh is not one of the available choices" in answer.content.decode()
    assert "language" not in page.cookies


def test_large_numbers_read_as_the_language_or_the_reader_has_it(page, books):
    chinese = {"Accept-Language": "zh-CN"}
    assert "8.10万</data>" in page.get("/", headers=chinese).content.decode()
    page.post("/settings/preferences", {"counting": "letters"})
    assert "81.0K</data>" in page.get("/", headers=chinese).content.decode()


def test_the_names_of_currencies_are_in_the_language(client, db):
    from tests.factories import MembershipFactory

    member = MembershipFactory(role="owner", organization__configured_at=None)
    client.force_login(member.user)
    text = client.get("/welcome/", headers={"Accept-Language": "zh-CN"}).content.decode()
    assert "CNY – 人民币" in text


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("has_books", [False, True])
def test_no_page_talks_english_to_a_chinese_reader(request, page, name, has_books):
    if has_books:
        request.getfixturevalue("books")
    answer = page.get(f"{reverse(name)}", headers={"Accept-Language": "zh-CN"})
    read = FOREIGN.sub(" ", UNREAD.sub(" ", answer.content.decode()))
    assert SENTENCE.findall(read) == []


def test_reasons_of_readers_are_told_in_the_language_by_their_codes(page, organization):
    source = ImportFactory(
        organization=organization,
        state="failed",
        error_code="empty_file",
        reason="0 bytes",
        lines=1,
        rejected=1,
    )
    RejectionFactory(source_import=source, line=3, code="half_a_row", reason="no code of ours")
    RejectionFactory(source_import=source, line=4, code="not_json", reason="not JSON at column 3")
    address = f"/imports/{source.pk}/"
    chinese = page.get(address, headers={"Accept-Language": "zh-CN"}).content.decode()
    assert "不是 JSON，或 JSON 被截断" in chinese
    assert "not JSON at column 3" in chinese
    assert "内容为空" in chinese
    assert "no code of ours" in chinese
    english = page.get(address).content.decode()
    assert "not JSON at column 3</span></td>" in english


#: A full-width mark has room behind it; a Western one between Chinese words has the wrong width.
SPACED = re.compile(r"[，。；：（“] | [，。；：）”]|[\u4e00-\u9fff][,;:!?](?![\d\w/])")


@pytest.mark.parametrize("name", PAGES)
def test_chinese_sentences_have_chinese_marks_and_no_spaces_beside_them(page, books, name):
    answer = page.get(reverse(name), headers={"Accept-Language": "zh-CN"})
    inline = re.sub(r"</?(a|span|strong|data|time|em|code)\b[^>]*>", "", answer.content.decode())
    text = re.sub(r"\s+", " ", UNREAD.sub("\n", inline).replace("\n", "|"))
    assert SPACED.findall(text) == []
