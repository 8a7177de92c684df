"""Laws of undoing: whatever imports told, taking them back in reverse leaves the books of each step."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounting.models import EventRevision, ImportOverlap
from accounting.services.rollups import differences
from accounting.services.undoing import MetByLaterError, met_by
from tests.factories import ImportFactory
from tests.posting.conftest import make_organization, price_opal
from tests.records import usage_record
from tests.undoing.books import snapshot, told_by, undone

pytestmark = pytest.mark.django_db
EDGE = datetime(2026, 4, 1, tzinfo=UTC)
NO_TIMES = {"deadline": None, "suppress_health_check": list(HealthCheck)}

records = st.builds(
    lambda number, hours, **told: usage_record(
        f"k{number}", at=EDGE + timedelta(hours=hours), restamps=number == 0, **told
    ),
    number=st.integers(0, 4),
    hours=st.integers(-30, 30),
    part=st.sampled_from((0, 0, 0, 1)),
    project_id=st.sampled_from((1, 2)),
    session_id=st.sampled_from(("", "s", "t")),
    usage_state=st.sampled_from(("reported", "partial")),
    status=st.sampled_from(("ok", "ok", "error")),
    response_model=st.sampled_from(("opal", "jade")),
    source=st.sampled_from(("one", "two")),
    input_tokens=st.just(100),
    output_tokens=st.integers(0, 3),
    duration_ms=st.sampled_from((None, 12.5)),
)
batches = st.lists(records, min_size=1, max_size=5)
#: For each import the batches of its chunks.
imports = st.lists(st.lists(batches, min_size=1, max_size=2), min_size=2, max_size=4)


@pytest.fixture
def organization(db):
    organization = make_organization()
    price_opal(organization)
    price_opal(organization, price="2", since=EDGE)
    return organization


def posted(organization, chunks):
    source = ImportFactory(organization=organization)
    for batch in chunks:
        told_by(source, *batch)
    return source


def are_right(organization):
    """Keys may stand in two months where ids are used again; the sums never differ."""
    found = differences(organization_id=organization.pk)
    found.pop("keys_in_two_months")
    return set(found.values()) == {0}


@settings(max_examples=15, **NO_TIMES)
@given(imports)
def test_undoing_in_reverse_leaves_the_books_of_each_step(organization, told):
    with transaction.atomic():
        before, sources = [], []
        for chunks in told:
            before.append(snapshot())
            sources.append(posted(organization, chunks))
        for source, books in zip(reversed(sources), reversed(before), strict=True):
            undone(source)
            assert snapshot() == books
            assert are_right(organization)
        assert not EventRevision.objects.exists()
        assert not ImportOverlap.objects.exists()
        transaction.set_rollback(True)


@settings(max_examples=15, **NO_TIMES)
@given(imports, st.data())
def test_an_import_goes_exactly_when_no_later_one_met_it_and_then_as_if_it_had_never_come(
    organization, told, data
):
    left_out = data.draw(st.integers(0, len(told) - 1))
    with transaction.atomic():
        sources = [posted(organization, chunks) for chunks in told]
        one = sources[left_out]
        later = met_by(organization.pk, [one.pk])
        assert all(number > one.pk for number in later)
        if later:
            with pytest.raises(MetByLaterError), transaction.atomic():
                undone(one)
        else:
            undone(one)
            found = told_rows(snapshot())
            assert are_right(organization)
        transaction.set_rollback(True)
    if later:
        return
    with transaction.atomic():
        for number, chunks in enumerate(told):
            if number != left_out:
                posted(organization, chunks)
        assert told_rows(snapshot()) == found
        transaction.set_rollback(True)


@settings(max_examples=10, **NO_TIMES)
@given(imports)
def test_imports_whose_chunks_took_turns_go_together(organization, told):
    with transaction.atomic():
        posted(organization, told[0])
        before = snapshot()
        others = [ImportFactory(organization=organization) for _ in told[1:]]
        for turn in range(2):
            for source, chunks in zip(others, told[1:], strict=True):
                if turn < len(chunks):
                    told_by(source, *chunks[turn])
        undone(*others)
        assert snapshot() == before
        transaction.set_rollback(True)


def told_rows(tables):
    """What the books say, without the numbers of the imports that said it, and when."""
    aside = {"import_id", "received_at"}
    return {
        name: sorted(({k: v for k, v in row.items() if k not in aside} for row in rows), key=repr)
        for name, rows in tables.items()
        if name not in {"accounting_importoverlap", "accounting_eventrevision"}
    }
