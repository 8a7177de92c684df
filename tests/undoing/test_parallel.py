"""Several imports post and are undone at once: no deadlock, and the sums are those of the events."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from accounting.models import EventRevision, Import, ImportOverlap, UsageEvent
from accounting.services.posting import Telling, ensure_months, post_usage
from accounting.services.rollups import differences
from accounting.services.undoing import MetByLaterError
from ingest.services.undoing import undo_imports
from tests.factories import ImportFactory
from tests.posting.conftest import make_organization, price_opal
from tests.posting.test_parallel_posting import (
    EDGES,
    SEED,
    SESSIONS,
    _deadlocks,
    _own_connection,
    _shares,
    _tellings,
)
from tests.undoing.books import placed

pytestmark = pytest.mark.django_db(transaction=True)
SPAN = {"earliest_at": EDGES[0].replace(year=2025), "latest_at": EDGES[1].replace(year=2027)}


@pytest.fixture
def organization():
    organization = make_organization()
    price_opal(organization)
    return organization


def import_of(organization):
    return ImportFactory(organization=organization, **SPAN)


def post_share(source, share):
    with _own_connection():
        for batch in share:
            records = [placed(record, source) for record in batch]
            ensure_months(record.place.started_at for record in records)
            tellings = [Telling(line=n, records=(record,)) for n, record in enumerate(records, 1)]
            with transaction.atomic():
                post_usage(organization_id=source.organization_id, tellings=tellings)


def undo(source):
    """Whether it went; else a later import had met it."""
    with _own_connection():
        try:
            undo_imports(organization_id=source.organization_id, import_ids=[source.pk])
        except MetByLaterError:
            return False
        return True


def are_right(organization):
    return not any(differences(organization_id=organization.pk).values())


def test_eight_imports_that_met_each_other_go_together(organization):
    before = _deadlocks()
    told = _tellings(random.Random(SEED))
    work = _shares(random.Random(SEED + 1), told)
    sources = [import_of(organization) for _ in work]
    with ThreadPoolExecutor(SESSIONS) as pool:
        list(pool.map(post_share, sources, work))
    assert are_right(organization)
    assert ImportOverlap.objects.count() > SESSIONS
    undo_imports(organization_id=organization.pk, import_ids=[source.pk for source in sources])
    assert not UsageEvent.objects.exists()
    assert not EventRevision.objects.exists()
    assert are_right(organization)
    assert _deadlocks() == before


def test_undoing_beside_posting_waits_its_turn(organization):
    before = _deadlocks()
    chance = random.Random(SEED)
    told = _tellings(chance)[:400]
    early = [import_of(organization) for _ in range(4)]
    for number, source in enumerate(early):
        post_share(source, [told[number * 100 : number * 100 + 100]])
    late = [import_of(organization) for _ in range(4)]
    shares = [[chance.sample(told, 20) for _ in range(8)] for _ in late]
    with ThreadPoolExecutor(SESSIONS) as pool:
        posting = [pool.submit(post_share, *pair) for pair in zip(late, shares, strict=True)]
        undoing = [pool.submit(undo, source) for source in early]
        for done in posting:
            done.result(60)
        gone = [done.result(60) for done in undoing]
    assert are_right(organization)
    assert _deadlocks() == before
    left = Import.objects.exclude(state="undone").values_list("pk", flat=True)
    assert len(left) == 8 - sum(gone)
    undo_imports(organization_id=organization.pk, import_ids=list(left))
    assert not UsageEvent.objects.exists()
    assert are_right(organization)
    connection.close()
