"""Books with real events behind them, for pages that look at requests and reprice them."""

from decimal import Decimal

from accounting.models import Project
from accounting.services.price_files import BookRow
from accounting.services.price_rows import RateRow
from accounting.services.pricebooks import Author, add_rates
from tests.posting.conftest import post_to, price_opal
from tests.records import usage_record
from tests.repricing.conftest import BEGINNING


def filled(organization):
    """One session of two requests of opal, 1,000 in and 100 out each: 0.0045 apiece."""
    project, _made = Project.objects.get_or_create(
        organization=organization, slug="default", defaults={"name": "Default project"}
    )
    price_opal(organization)
    records = [
        usage_record(
            f"r{number}",
            project_id=project.pk,
            session_id="s/1 ?",
            input_tokens=1_000,
            output_tokens=100,
        )
        for number in (1, 2)
    ]
    post_to(organization.pk, records)
    return organization


def correct_input(organization, price):
    """Say that opal's input has cost something else from the beginning."""
    row = RateRow(
        provider="testing",
        model="opal",
        unit="input",
        price=Decimal(price),
        effective_from=BEGINNING,
    )
    add_rates(
        [row],
        organization=organization,
        book=BookRow(code="own", currency="USD"),
        by=Author(confirmed=True),
    )
