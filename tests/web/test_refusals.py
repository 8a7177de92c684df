"""What services and queries refuse, told in the reader's language."""

import re
from pathlib import Path

import pytest
from django.utils import translation

from accounting.domain.errors import DomainError
from accounting.models import ClosedMonth
from accounting.queries.filters import FilterError
from accounting.services.tenants import CurrencyInUseError
from accounting.web import refusals
from ingest.services import undoing
from tests.web.ledger import filled

CHINESE = {"Accept-Language": "zh-CN"}
ROOT = Path(refusals.__file__).parents[2]
#: Refusals of what no page asks for: of pushes, keys of programs, other questions and commands.
ELSEWHERE = {
    "bad_body", "bad_flag", "bad_limit", "bad_option", "bad_question", "not_kept", "not_set_aside",
    "nothing_compared", "too_many_rows", "unknown_book", "unknown_period", "unknown_unit",
}  # fmt: skip


def codes_in(folder, pattern):
    files = (ROOT / folder).rglob("*.py")
    return {code for file in files for code in re.findall(pattern, file.read_text())}


def test_every_code_that_a_page_can_show_has_a_meaning():
    raised = {error.code for error in every(DomainError) if isinstance(error.code, str)}
    raised |= codes_in("accounting/queries", r'FilterError\(\s*"([a-z_]+)"')
    raised |= codes_in("accounting/web", r'FilterError\(\s*"([a-z_]+)"')
    raised |= codes_in("ingest/services", r'NotUndoableError\(\s*"([a-z_]+)"')
    assert undoing.NotUndoableError in every(DomainError)
    assert len(raised) > 50
    assert raised - ELSEWHERE - refusals.MEANINGS.keys() == set()


def every(error):
    return {error, *(one for child in error.__subclasses__() for one in every(child))}


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (FilterError("unknown_range", "range='x', expected mtd"), "没有这个名称的时间范围（range='x', expected mtd）"),
        (CurrencyInUseError("costs are booked in USD"), "已有费用以当前货币入账，因此不能更改货币（costs are booked in USD）"),
        (FilterError("of_nobody", "no code of ours"), "no code of ours"),
    ],
)  # fmt: skip
def test_chinese_readers_are_told_the_meaning_first(error, words):
    with translation.override("zh-hans"):
        assert refusals.told(error) == words
    with translation.override("en"):
        assert refusals.told(error) == str(error)


def test_an_address_that_is_not_understood_is_explained_in_the_language(page):
    answer = page.get("/?range=nonsense", headers=CHINESE)
    assert answer.status_code == 400
    assert "没有这个名称的时间范围（range=" in answer.content.decode()
    assert (
        "没有这种图形（chart=" in page.get("/explore/?chart=pie", headers=CHINESE).content.decode()
    )


def test_what_the_books_do_not_allow_is_explained_in_the_language(page, organization):
    filled(organization)
    about = {"name": "A", "currency": "CNY", "time_zone": "UTC", "week_start": "0"}
    answer = page.post("/settings/organization", about, headers=CHINESE)
    assert answer.status_code == 422
    assert "已有费用以当前货币入账，因此不能更改货币（" in answer.content.decode()
    answer = page.post("/months/2099-01/close", headers=CHINESE, follow=True)
    assert "该月现在不能结账（" in answer.content.decode()
    assert not ClosedMonth.objects.exists()
