"""An organization with opal at 3 in and 15 out, and the ways to reprice it."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from celery import current_app

from accounting.domain.money import plain
from accounting.models import (
    CostRevision,
    RepriceRun,
    SessionTotal,
    UsageDayAttribute,
    UsageEvent,
    UsageHour,
)
from accounting.queries.filters import usage_filter
from accounting.services.price_files import BookRow
from accounting.services.price_rows import RateRow
from accounting.services.pricebooks import add_rates
from accounting.services.reprice_runs import apply_run, draft_run, undo_run
from accounting.services.repricing_chunks import carry_on
from accounting.services.rollups import differences
from tests.posting.conftest import make_organization, post_to, price_opal

NOW = datetime(2026, 12, 5, 12, tzinfo=UTC)
BEGINNING = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def organization(db):
    organization = make_organization()
    price_opal(organization)
    return organization


@pytest.fixture
def post(organization):
    return lambda *records: post_to(organization.pk, records)


@pytest.fixture
def at_once():
    """Tasks run where they are sent."""
    current_app.conf.update(task_always_eager=True)
    yield
    current_app.conf.update(task_always_eager=False)


def set_price(organization, price, *, unit="input", model="opal", since=BEGINNING):
    """A price from an instant on; of the same instant as another's, a correction of it."""
    row = RateRow(
        provider="testing", model=model, unit=unit, price=Decimal(price), effective_from=since
    )
    return add_rates([row], organization=organization, book=BookRow(code="own", currency="USD"))


def draft(organization, start="2026-01-01", end="2027-01-01", chunk=4_000, **choices):
    params = {"from": [start], "to": [end], **{n: [v] for n, v in choices.items()}}
    started = draft_run(wanted=usage_filter(params, organization, NOW))
    carry_on(run_id=started.run_id, chunk=chunk)
    return RepriceRun.objects.get(pk=started.run_id)


def apply(run, chunk=4_000):
    apply_run(organization_id=run.organization_id, run_id=run.pk)
    carry_on(run_id=run.pk, chunk=chunk)
    run.refresh_from_db()
    return run


def undo(run, chunk=4_000):
    undo_run(organization_id=run.organization_id, run_id=run.pk)
    carry_on(run_id=run.pk, chunk=chunk)
    run.refresh_from_db()
    return run


def whole_books(organization):
    """Every event and every sum as they stand; amounts by value, whatever their trailing zeros."""
    tables = (UsageEvent, UsageHour, UsageDayAttribute, SessionTotal)
    return [
        sorted(
            str([_shown(value) for value in row])
            for row in table.objects.of(organization.pk).values_list(*_columns(table))
        )
        for table in tables
    ]


def _columns(table):
    return [field.column for field in table._meta.concrete_fields if field.column != "id"]


def _shown(value):
    return plain(value) if isinstance(value, Decimal) else value


def is_whole(organization):
    return set(differences(organization_id=organization.pk).values()) == {0}


def revisions(run):
    return CostRevision.objects.of(run.organization_id).filter(run=run)
