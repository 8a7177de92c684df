"""Posting goes on while a run is applied: no deadlock, no event lost, every sum right."""

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from accounting.models import UsageEvent
from accounting.services.reprice_runs import apply_run, undo_run
from accounting.services.repricing_chunks import carry_on
from tests.posting.conftest import make_organization, post_to, price_opal
from tests.posting.test_parallel_posting import _deadlocks, _own_connection
from tests.records import NOON, usage_record
from tests.repricing.conftest import draft, is_whole, set_price

pytestmark = pytest.mark.django_db(transaction=True)
EVENTS = 600


def told(number, output_tokens):
    return usage_record(
        f"r{number}",
        at=NOON + timedelta(minutes=number),
        session_id=f"s{number % 7}",
        input_tokens=1_000_000,
        output_tokens=output_tokens,
    )


def post_share(organization_id, seed):
    """New requests, and more complete tellings of old ones, in an order of its own."""
    chance = random.Random(seed)
    records = [told(number, 2) for number in chance.sample(range(EVENTS * 2), EVENTS)]
    with _own_connection():
        for at in range(0, EVENTS, 50):
            post_to(organization_id, records[at : at + 50])


def carry(run_id):
    with _own_connection():
        return carry_on(run_id=run_id, chunk=40)


def test_a_run_is_applied_and_undone_while_others_post():
    organization = make_organization()
    price_opal(organization)
    post_to(organization.pk, [told(number, 1) for number in range(EVENTS)])
    set_price(organization, "4")
    run = draft(organization)
    before = _deadlocks()
    for start, seed in ((apply_run, 1), (undo_run, 9)):
        start(organization_id=organization.pk, run_id=run.pk)
        with ThreadPoolExecutor(4) as pool:
            posting = [pool.submit(post_share, organization.pk, seed + n) for n in range(3)]
            repricing = pool.submit(carry, run.pk)
            for task in (*posting, repricing):
                task.result()
        assert is_whole(organization)
    run.refresh_from_db()
    connection.close()
    costs = {e.output_tokens: e.cost for e in UsageEvent.objects.of(organization.pk)}
    assert run.state == "undone"
    assert set(costs) <= {1, 2}
    assert costs[2].quantize(1) == 4  # told anew by the newest price, and so left as it is
    assert _deadlocks() == before
