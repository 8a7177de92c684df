"""Repricing on pages: dry run, apply, undo."""

import pytest

from accounting.models import RepriceRun, UsageEvent
from accounting.services.repricing_chunks import carry_on
from tests.factories import MembershipFactory
from tests.web.ledger import correct_input, filled

DAYS = {"first": "2026-03-01", "end": "2026-04-01"}


@pytest.fixture
def books(organization):
    return filled(organization)


def drafted(page):
    """The page of a dry run that is through."""
    address = page.post("/prices/reprice/", DAYS).headers["Location"]
    carry_on(run_id=RepriceRun.objects.get().pk)
    return address


def costs():
    return [str(cost.normalize()) for cost in UsageEvent.objects.values_list("cost", flat=True)]


def test_a_dry_run_shows_the_difference_and_changes_nothing(page, books):
    correct_input(books, "4")
    text = page.get(drafted(page)).content.decode()
    assert "the price changed" in text
    assert 'value="0.009"' in text
    assert 'value="0.011"' in text
    assert 'value="0.002"' in text
    assert "Apply this difference" in text
    assert costs() == ["0.0045", "0.0045"]


def test_a_run_is_applied_and_undone(page, books):
    correct_input(books, "4")
    address = drafted(page)
    run = RepriceRun.objects.get()
    assert page.post(f"{address}apply").headers["Location"] == address
    carry_on(run_id=run.pk)
    assert costs() == ["0.0055", "0.0055"]
    assert "applied" in page.get(address).content.decode()
    page.post(f"{address}undo")
    carry_on(run_id=run.pk)
    assert costs() == ["0.0045", "0.0045"]


def test_a_run_at_work_asks_again_by_itself(page, books):
    address = page.post("/prices/reprice/", DAYS).headers["Location"]
    text = page.get(address).content.decode()
    assert 'hx-trigger="load delay:1s"' in text
    assert "0 of 2 requests" in text


def test_the_fragment_of_a_run_that_is_through_asks_no_more(page, books):
    text = page.get(drafted(page), headers={"hx-request": "true"}).content.decode()
    assert "hx-trigger" not in text
    assert "<html" not in text


def test_nothing_that_differs_is_said_and_can_not_be_applied(page, books):
    text = page.get(drafted(page)).content.decode()
    assert "Nothing differs" in text
    assert "Apply this difference" not in text


def test_a_run_that_may_not_be_applied_says_why(page, books):
    address = page.post("/prices/reprice/", DAYS).headers["Location"]
    text = page.post(f"{address}apply", follow=True).content.decode()
    assert "only a drafted one applies" in text


def test_days_the_wrong_way_round_are_refused_in_words(page, books):
    answer = page.post("/prices/reprice/", {"first": "2026-04-01", "end": "2026-03-01"})
    assert answer.status_code == 422
    assert "must lie after from" in answer.content.decode()


def test_a_run_is_about_one_model_where_that_is_chosen(page, books):
    page.post("/prices/reprice/", {**DAYS, "model": "opal"})
    assert RepriceRun.objects.get().choices == [
        {"name": "model", "relation": "is", "values": ["opal"]}
    ]


def test_another_organizations_run_is_not_there(client, page, books):
    address = drafted(page)
    client.force_login(MembershipFactory(role="owner").user)
    assert client.get(address).status_code == 404
    assert client.post(f"{address}apply").status_code == 404
