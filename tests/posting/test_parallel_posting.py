"""Several sessions post at once: the books are the fold of everything that was told."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import reduce
from threading import Barrier

import pytest
from django.db import connection, transaction

from accounting.domain.merging import merge
from accounting.models import UsageEvent, UsageHour
from accounting.services import ledger
from accounting.services.posting import Telling, ensure_months, post_usage
from accounting.services.rollups import differences
from tests.posting.conftest import make_organization, price_opal
from tests.records import NOON, usage_record

pytestmark = pytest.mark.django_db(transaction=True)
SESSIONS = 8
SEED = 20260228
EDGES = (datetime(2026, 2, 1, tzinfo=UTC), datetime(2026, 3, 1, tzinfo=UTC))
DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"


def test_two_sessions_bring_one_new_key_and_the_more_complete_telling_stands_once(monkeypatch):
    organization = make_organization()
    price_opal(organization)
    ensure_months([NOON])
    together = Barrier(2)
    inserted = ledger.insert_new

    def meet_first(staged):
        together.wait(timeout=20)
        return inserted(staged)

    monkeypatch.setattr(ledger, "insert_new", meet_first)
    tellings = [
        usage_record(at=NOON, input_tokens=10, output_tokens=100),
        usage_record(at=NOON - timedelta(minutes=10), input_tokens=10, output_tokens=700),
    ]
    with ThreadPoolExecutor(2) as pool:
        posted = list(pool.map(lambda record: _post(organization.pk, [record]), tellings))

    event = UsageEvent.objects.of(organization.pk).get()
    assert sum(outcome.recorded for outcome in posted) == 1
    assert (event.output_tokens, event.occurred_at) == (700, NOON - timedelta(minutes=10))
    assert sum(UsageHour.objects.of(organization.pk).values_list("output_tokens", flat=True)) == 700
    assert set(differences(organization_id=organization.pk).values()) == {0}


def test_eight_sessions_around_two_month_edges_give_the_fold_of_merge():
    organization = make_organization()
    price_opal(organization)
    price_opal(organization, price="2", since=EDGES[0])
    before = _deadlocks()
    told = _tellings(random.Random(SEED))
    work = _shares(random.Random(SEED + 1), told)

    with ThreadPoolExecutor(SESSIONS) as pool:
        counted = sum(pool.map(lambda share: _post_share(organization.pk, share), work), Counter())

    expected = {key: reduce(merge, records) for key, records in _by_key(told).items()}
    stored = {event.response_id: event for event in UsageEvent.objects.of(organization.pk)}
    assert stored.keys() == expected.keys()
    for key, record in expected.items():
        event = stored[key]
        assert event.occurred_at == record.place.started_at, key
        assert event.output_tokens == record.use.counts.output_tokens, key
        assert event.session_id == record.place.session_id, key
        price = 3 if record.place.started_at < EDGES[0] else 2
        assert event.cost * 1_000_000 == 100 * price + 15 * event.output_tokens, key
    assert counted["recorded"] == len(expected)
    assert set(differences(organization_id=organization.pk).values()) == {0}
    assert _deadlocks() == before


def _tellings(chance):
    told = []
    for number in range(400):
        edge = chance.choice(EDGES)
        start = edge + timedelta(seconds=chance.randrange(-4 * 86_400, 4 * 86_400))
        restamps = number % 10 == 0
        for _ in range(chance.randrange(1, 6)):
            shift = (
                timedelta(days=chance.randrange(40))
                if restamps
                else timedelta(seconds=chance.randrange(3_600 * 20))
            )
            told.append(
                usage_record(
                    f"k{number}",
                    at=start + shift,
                    session_id=f"s{chance.randrange(5)}",
                    restamps=restamps,
                    usage_state=chance.choice(["partial", "reported"]),
                    input_tokens=100,
                    output_tokens=chance.randrange(1, 500),
                )
            )
    return told


def _shares(chance, told):
    """For each session two thirds of all tellings in batches; the first has every one of them."""
    shares = []
    for number in range(SESSIONS):
        mine = chance.sample(told, len(told) if number == 0 else len(told) * 2 // 3)
        size = chance.choice((7, 60, 200))
        shares.append([mine[at : at + size] for at in range(0, len(mine), size)])
    return shares


def _by_key(told):
    records = {}
    for record in told:
        records.setdefault(record.identity.response_id, []).append(record)
    return records


def _post_share(organization_id, share):
    counted = Counter()
    with _own_connection():
        for batch in share:
            counted["recorded"] += _posted(organization_id, batch).recorded
    return counted


def _post(organization_id, records):
    with _own_connection():
        return _posted(organization_id, records)


def _posted(organization_id, records):
    ensure_months(record.place.started_at for record in records)
    tellings = [Telling(line=line, records=(record,)) for line, record in enumerate(records, 1)]
    with transaction.atomic():
        return post_usage(organization_id=organization_id, tellings=tellings)


@contextmanager
def _own_connection():
    try:
        yield
    finally:
        connection.close()


def _deadlocks():
    with connection.cursor() as cursor:
        cursor.execute(DEADLOCKS)
        return cursor.fetchone()[0]
