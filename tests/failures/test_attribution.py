"""Whose usage it was is copied when it arrives: a key that is gone takes nobody's name along."""

from datetime import UTC, datetime
from hashlib import sha256

import pytest
from django.db import transaction
from django.db.models import ProtectedError

from accounting.models import ApiKey, UsageDayAttribute, UsageEvent
from accounting.queries.filters import usage_filter
from accounting.queries.spend import usage_table
from accounting.services.reattribution import reattribute
from accounting.services.rollups import rebuild
from accounting.services.tenants import key_of, revoke_api_key
from tests.attribution.test_reading import rule, shop
from tests.failures.logs import event
from tests.ingest.conftest import ndjson, read_all

__all__ = ["shop"]
NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def spend(books, push):
    """Two requests of team A and one user, sent by one key."""
    used = {"team": "A", "user_id": "ana", "input_tokens": 100, "output_tokens": 10}
    push(ndjson(event(id="r-1", **used), event(id="r-2", **used)))
    read_all()
    return ApiKey.objects.get()


def sums(books, group):
    """Requests by the names that a report shows."""
    params = {"from": ["2026-04-01"], "to": ["2026-05-01"], "group": [group]}
    table = usage_table(usage_filter(params, books, NOW))
    return {row.group.label: row.totals.requests for row in table.rows}


def teams():
    rows = UsageDayAttribute.objects.filter(attribute="team")
    return dict(rows.values_list("value", "requests"))


def test_b280_a_key_that_is_gone_leaves_its_teams_name(books, spend):
    revoke_api_key(organization_id=books.pk, key_id=spend.pk)
    rebuild(organization_id=books.pk)
    assert teams() == {"A": 2}
    assert set(UsageEvent.objects.values_list("team", flat=True)) == {"A"}
    assert sums(books, "key") == {"gateway": 2}


def test_b281_a_key_that_is_gone_leaves_its_users(books, spend):
    revoke_api_key(organization_id=books.pk, key_id=spend.pk)
    # What sent usage is never deleted, also by a hand in the database.
    with pytest.raises(ProtectedError), transaction.atomic():
        spend.delete()
    rebuild(organization_id=books.pk)
    assert sums(books, "user") == {"ana": 2}


def test_b281_rules_find_a_key_by_its_name_after_it_is_gone(books, spend, shop):
    revoke_api_key(organization_id=books.pk, key_id=spend.pk)
    rule(shop, api_key_name="gateway")
    assert reattribute(organization_id=books.pk, is_dry=False).events == 2
    assert sums(books, "user") == {"ana": 2}
    assert sums(books, "key") == {"gateway": 2}


def test_b283_one_function_makes_the_id_of_a_key_so_it_is_one_key(books, push, key, spend):
    used = {"team": "A", "input_tokens": 100, "output_tokens": 10}
    push(ndjson(event(id="r-3", **used)), "?format=native")
    hashed = sha256(key.encode()).hexdigest()
    refused = push(ndjson(event(id="r-4", **used)), authorization=f"Bearer {hashed}")
    read_all()
    assert refused.status_code == 401
    assert key_of(hashed) is None
    assert sums(books, "key") == {"gateway": 3}
    assert ApiKey.objects.count() == 1
