"""A file is of one moment of the books, whatever is booked while it is made."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import Error, connection, transaction

from accounting.exports.usage import usage_export
from accounting.models import Project
from accounting.queries.snapshots import snapshot
from tests.factories import ProjectFactory
from tests.queries.asking import wanted
from tests.queries.posted import posted, priced_organization

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_is_booked_meanwhile_is_in_the_next_file():
    organization = priced_organization()
    posted(organization, {})

    def post_more():
        try:
            posted(organization, {"response_model": "jade", "response_id": "later"})
        finally:
            connection.close()

    asked = wanted(organization, group="model")
    with snapshot(), ThreadPoolExecutor(1) as threads:
        table = usage_export(asked)
        threads.submit(post_more).result()
        assert [row[0] for row in table.rows] == ["opal"]
    with snapshot():
        assert [row[0] for row in usage_export(asked).rows] == ["jade", "opal"]


def test_nothing_can_be_written_in_a_snapshot():
    organization = priced_organization()
    with pytest.raises(Error, match="read-only"), snapshot():
        Project.objects.create(organization=organization, slug="x", name="X")
    assert Project.objects.count() == 1


def test_one_that_is_given_up_takes_back_nothing_of_the_transaction_around_it():
    with transaction.atomic():
        pieces = iter(in_a_snapshot())
        assert next(pieces) == "first"
        ProjectFactory(slug="meanwhile")
        pieces.close()
        assert Project.objects.filter(slug="meanwhile").exists()


def in_a_snapshot():
    with snapshot():
        yield "first"
        yield "second"
