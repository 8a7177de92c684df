"""A large batch is staged by the columns in which its rows differ; the ledger is the same."""

import pytest

from accounting.models import UsageDay, UsageEvent, UsageHour
from accounting.services import ledger
from accounting.services.rollups import differences
from tests.posting.conftest import price_opal
from tests.records import usage_record

pytestmark = pytest.mark.django_db


def test_rows_are_the_same_whether_what_they_share_was_copied_or_told(
    organization, post, monkeypatch
):
    price_opal(organization)
    ledgers = []
    for many in (1, 1_000):
        monkeypatch.setattr(ledger, "MANY", many)
        name = f"batch of {many}"
        post(*(_record(f"{name}, {n}", input_tokens=n, session_id=name) for n in range(1, 61)))
        ledgers.append(_rows(organization, name))

    assert ledgers[0] == ledgers[1]
    assert len(ledgers[0]) == 60
    assert set(differences(organization_id=organization.pk).values()) == {0}


def test_of_a_batch_that_is_known_in_part_only_the_news_is_added(organization, post):
    price_opal(organization)
    told = [_record(f"r-{number}", input_tokens=2) for number in range(100)]
    first, second = post(*told[:60]), post(*told[30:])

    assert (first.recorded, second.recorded, second.duplicates) == (60, 40, 30)
    assert (second.change.requests, second.change.input_tokens) == (40, 80)
    for rollup in (UsageHour, UsageDay):
        assert sum(rollup.objects.of(organization.pk).values_list("requests", flat=True)) == 100
    assert set(differences(organization_id=organization.pk).values()) == {0}


def test_a_batch_with_news_and_fuller_tellings_adds_both(organization, post):
    price_opal(organization)
    post(*(_record(f"r-{number}", input_tokens=2) for number in range(60)))
    fuller = [_record(f"r-{number}", input_tokens=2, finish_reason="stop") for number in range(10)]
    second = post(*fuller, *(_record(f"new-{number}", input_tokens=5) for number in range(60)))

    assert (second.recorded, second.updated) == (60, 10)
    assert (second.change.requests, second.change.input_tokens) == (60, 300)
    assert sum(UsageDay.objects.of(organization.pk).values_list("input_tokens", flat=True)) == 420
    assert set(differences(organization_id=organization.pk).values()) == {0}


def _record(response_id, **use):
    place = {"team": "core", "tags": (("env", "prod"),), "line": 1}
    return usage_record(response_id, output_tokens=3, place=place, **use)


def _rows(organization, session_id):
    left_out = {"dedupe_key", "response_id", "session_id", "received_at"}
    names = [f.attname for f in UsageEvent._meta.concrete_fields if f.attname not in left_out]
    events = UsageEvent.objects.of(organization.pk).filter(session_id=session_id)
    rows = events.order_by("input_tokens").values_list(*names)
    return [tuple(bytes(v) if isinstance(v, memoryview) else v for v in row) for row in rows]
