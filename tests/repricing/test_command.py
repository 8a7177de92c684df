"""manage.py reprice shows, applies and undoes; the tasks carry on what was left."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounting.models import RepriceRun, UsageEvent
from accounting.services.reprice_runs import apply_run
from accounting.services.repricing_chunks import do_chunk
from accounting.tasks import reprice, sweep_repricings
from tests.records import usage_record
from tests.repricing.conftest import draft, is_whole, set_price

pytestmark = pytest.mark.django_db
DAYS = ("--from", "2026-03-01", "--to", "2026-04-01")


@pytest.fixture
def dearer(organization, post):
    """Five requests of 3.00 each, which now cost 4.00, and one without price."""
    post(
        *(usage_record(f"r{n}", input_tokens=1_000_000, output_tokens=0) for n in range(5)),
        usage_record("x", response_model="agate", input_tokens=9, output_tokens=1),
    )
    set_price(organization, "4")
    return organization


def run(*arguments):
    out = StringIO()
    call_command("reprice", *arguments, "--organization", "acme", "--json", stdout=out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def costs(organization):
    events = UsageEvent.objects.of(organization.pk).filter(cost__isnull=False)
    return [event.cost for event in events]


def test_it_prints_differences_what_stays_unpriced_and_the_run(dearer):
    row, unpriced, told = run(*DAYS)
    assert (row["month"], row["model"], row["difference_cost"]) == ("2026-03", "opal", "5")
    assert (unpriced["model"], unpriced["events"], unpriced["tokens"]) == ("agate", 1, 10)
    assert (told["state"], told["changed"], told["events"]) == ("drafted", 5, 6)
    assert costs(dearer) == [3] * 5


def test_it_applies_at_once_or_a_run_that_was_drafted_and_undoes(dearer):
    *_, told = run(*DAYS)
    *_, applied = run("--apply", str(told["run"]))
    assert (applied["run"], applied["state"]) == (told["run"], "applied")
    assert costs(dearer) == [4] * 5
    (undone,) = run("--undo", str(told["run"]))
    assert undone["state"] == "undone"
    assert costs(dearer) == [3] * 5
    *_, again = run(*DAYS, "--filter", "model=opal", "--apply")
    assert (again["state"], again["events"]) == ("applied", 5)
    assert is_whole(dearer)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "--from DAY"),
        (("--undo", "999"), 1, "no repricing 999"),
        ((*DAYS, "--filter", "colour=red"), 2, "unknown_parameter"),
    ],
)
def test_what_cannot_be_done_is_refused(organization, arguments, code, words):
    with pytest.raises(CommandError, match=words) as refused:
        run(*arguments)
    assert refused.value.returncode == code


def test_the_task_carries_on_where_a_worker_stopped_and_may_run_twice(dearer):
    found = draft(dearer)
    apply_run(organization_id=dearer.pk, run_id=found.pk)
    do_chunk(run_id=found.pk, chunk=2)

    reprice(found.pk)
    reprice(found.pk)

    found.refresh_from_db()
    assert (found.state, found.outcome) == ("applied", found.draft)
    assert costs(dearer) == [4] * 5
    assert is_whole(dearer)


def test_the_sweep_finds_runs_that_nobody_carries_on(dearer, at_once):
    found = draft(dearer)
    apply_run(organization_id=dearer.pk, run_id=found.pk)

    sweep_repricings()

    assert RepriceRun.objects.get(pk=found.pk).state == "applied"
