"""No question asks the database more often than its docstring says."""

import pytest

from accounting.queries.health import books_health
from accounting.queries.imports import import_summary
from accounting.queries.sessions import session_summary, session_totals
from accounting.queries.spend import usage_totals
from tests.factories import ImportFactory, RejectionFactory, SessionTotalFactory
from tests.queries.asking import wanted

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("question", [usage_totals, session_totals, session_summary])
def test_one_statement(question, django_assert_num_queries):
    asked = wanted(SessionTotalFactory().organization)
    with django_assert_num_queries(1):
        question(asked)


def test_the_health_of_the_books(django_assert_num_queries):
    waiting = ImportFactory(state="ready", name="waiting.jsonl")
    with django_assert_num_queries(3):
        health = books_health(waiting.organization_id)
    assert (health.unfinished_imports, health.last_import.name) == (1, "waiting.jsonl")
    assert health.newest_hour is None


def test_an_import_shows_its_first_twenty_rejections(django_assert_num_queries):
    source = ImportFactory(lines=30, rejected=30)
    for line in range(30, 0, -1):
        RejectionFactory(source_import=source, line=line)
    with django_assert_num_queries(2):
        found = import_summary(source.organization_id, source.pk)
    assert [one.line for one in found.rejections] == list(range(1, 21))
    assert import_summary(source.organization_id + 1, source.pk) is None
