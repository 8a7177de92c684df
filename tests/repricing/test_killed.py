"""A worker that is killed between or within chunks costs nothing."""

from datetime import timedelta

import pytest
from django.core.management import call_command

from accounting.services.reprice_runs import apply_run, undo_run
from tests.ingest.test_processes import program, wait_until
from tests.posting.conftest import make_organization, post_to, price_opal
from tests.records import NOON, usage_record
from tests.repricing.conftest import apply, draft, is_whole, set_price, undo, whole_books

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
CHUNKS = (
    "import django; django.setup();"
    "from accounting.services.repricing_chunks import carry_on;"
    "carry_on(run_id={run}, chunk=50)"
)


def work_on(run, *, until):
    """Another process carries the run on and is killed when so many events are done."""

    def done():
        run.refresh_from_db()
        return run.done >= until

    with program("-c", CHUNKS.format(run=run.pk)):  # SIGKILL on the way out
        wait_until(done)
    run.refresh_from_db()


def test_a_run_whose_worker_is_killed_ends_the_same(monkeypatch):
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "accounting.config.settings")
    organization = make_organization()
    price_opal(organization)
    post_to(
        organization.pk,
        [
            usage_record(
                f"r{n}", at=NOON + timedelta(minutes=n), session_id=f"s{n % 40}",
                input_tokens=1_000 + n, output_tokens=n,
            )
            for n in range(3_000)
        ],
    )  # fmt: skip
    before = whole_books(organization)
    set_price(organization, "3.5")
    straight = apply(draft(organization))
    wanted = whole_books(organization)
    undo(straight)
    assert whole_books(organization) == before

    run = draft(organization)
    apply_run(organization_id=organization.pk, run_id=run.pk)
    for until in (300, 1_200):
        work_on(run, until=until)
        assert (run.state, run.done < 3_000) == ("applying", True)
        assert is_whole(organization)
    call_command("reprice", "--apply", str(run.pk), "--organization", "acme", "--json")
    run.refresh_from_db()
    assert (run.state, run.outcome) == ("applied", run.draft)
    assert whole_books(organization) == wanted

    undo_run(organization_id=organization.pk, run_id=run.pk)
    work_on(run, until=700)
    assert run.state == "undoing"
    undo(run)
    assert whole_books(organization) == before
    assert is_whole(organization)
