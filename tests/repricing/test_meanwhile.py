"""Posting goes on while a run is applied: no deadlock, no event lost, every sum right."""

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection

from accounting.models import UsageEvent
from accounting.services import filling_in, repricing_chunks
from accounting.services.reprice_runs import apply_run, undo_run
from accounting.services.repricing_chunks import carry_on
from tests.posting.conftest import make_organization, post_to, price_opal
from tests.posting.test_parallel_posting import _deadlocks, _own_connection
from tests.records import NOON, usage_record
from tests.repricing.conftest import draft, is_whole, set_price

pytestmark = pytest.mark.django_db(transaction=True)
EVENTS = 600
MILLION = 1_000_000


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


def post_more(organization_id, **more):
    """One telling in a session of its own."""
    record = usage_record(**more)
    with _own_connection():
        post_to(organization_id, [record])


def once_read(monkeypatch, module, name, then):
    """Does something, once, in another session right after a module has read its next events."""
    read, waiting = getattr(module, name), [then]

    def read_and(*arguments):
        found = read(*arguments)
        if waiting:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(waiting.pop()).result()
        return found

    monkeypatch.setattr(module, name, read_and)


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


@pytest.mark.parametrize("told_again", [{"output_tokens": 9}, {"session_id": "z"}])
def test_what_is_told_again_while_a_run_looks_at_it_is_left_to_its_newest_telling(
    monkeypatch, told_again
):
    organization = make_organization()
    price_opal(organization)
    post_to(organization.pk, [usage_record(name, input_tokens=MILLION) for name in "ab"])
    set_price(organization, "4")
    run = draft(organization)
    apply_run(organization_id=organization.pk, run_id=run.pk)
    more = {"input_tokens": MILLION, "at": NOON - timedelta(minutes=1), **told_again}
    once_read(
        monkeypatch,
        repricing_chunks,
        "next_events",
        lambda: post_more(organization.pk, response_id="b", **more),
    )
    carry_on(run_id=run.pk)

    run.refresh_from_db()
    newest = 4 + Decimal("0.000015") * told_again.get("output_tokens", 0)
    assert {e.response_id: e.cost for e in UsageEvent.objects.of(organization.pk)} == {
        "a": 4,
        "b": newest,
    }
    assert (run.state, run.outcome["changed"]) == ("applied", 1)
    assert is_whole(organization)


def test_what_is_told_again_while_it_is_filled_in_has_its_newest_telling(monkeypatch):
    organization = make_organization()
    post_to(
        organization.pk,
        [usage_record(name, input_tokens=MILLION, output_tokens=0) for name in "ab"],
    )
    once_read(
        monkeypatch,
        filling_in,
        "_next_events",
        lambda: post_more(
            organization.pk, response_id="b", input_tokens=MILLION, output_tokens=MILLION
        ),
    )
    price_opal(organization)

    assert {e.response_id: e.cost for e in UsageEvent.objects.of(organization.pk)} == {
        "a": 3,
        "b": 18,
    }
    assert is_whole(organization)


def post_new(organization_id, seed):
    """Requests without a price until somebody enters one."""
    with _own_connection():
        for at in range(0, 200, 20):
            post_to(
                organization_id,
                [
                    usage_record(
                        f"n{seed}-{number}",
                        at=NOON + timedelta(minutes=number),
                        session_id=f"s{number % 7}",
                        input_tokens=MILLION,
                        output_tokens=0,
                    )
                    for number in range(at, at + 20)
                ],
            )


def enter(organization, price, since):
    with _own_connection():
        set_price(organization, "0", unit="output")
        set_price(organization, price, since=since)


def test_prices_come_while_others_post_and_every_request_has_that_of_its_day():
    organization = make_organization()
    later = NOON + timedelta(minutes=100)
    before = _deadlocks()
    with ThreadPoolExecutor(5) as pool:
        posting = [pool.submit(post_new, organization.pk, seed) for seed in range(3)]
        first = pool.submit(enter, organization, "3", NOON)
        for task in (*posting, first):
            task.result()
    enter(organization, "2", later)
    with ThreadPoolExecutor(5) as pool:
        posting = [pool.submit(post_new, organization.pk, seed) for seed in range(3, 6)]
        third = pool.submit(enter, organization, "5", later)
        for task in (*posting, third):
            task.result()
    connection.close()
    events = UsageEvent.objects.of(organization.pk)
    early = {event.cost for event in events.filter(occurred_at__lt=later)}
    known = events.filter(occurred_at__gte=later, filled_in="")
    follows = events.filter(occurred_at__gte=later).exclude(filled_in="")
    assert (events.count(), early) == (1_200, {3})
    assert {event.cost for event in follows} <= {5}
    assert {event.cost for event in known} <= {3, 2, 5}
    assert is_whole(organization)
    assert _deadlocks() == before
