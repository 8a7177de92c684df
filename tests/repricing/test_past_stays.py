"""Whatever happens around them, no past amount moves by itself."""

from datetime import timedelta
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from accounting.models import ApiKey, Project
from accounting.queries.filters import usage_filter
from accounting.queries.spend import usage_table
from accounting.queries.writing import written_totals
from accounting.services.price_rows import AliasRow, ConversionRow
from accounting.services.pricebooks import add_alias, add_credit_rate, add_fx_rate
from accounting.services.tenants import create_api_key
from tests.posting.conftest import make_organization, post_to, price_opal
from tests.records import NOON, usage_record
from tests.repricing.conftest import NOW, is_whole, set_price, whole_books

#: After everything that was used.
LATER = NOON + timedelta(days=40)
prices = st.decimals("0", "99", places=6)


def a_later_price(draw, organization):
    days = draw(st.integers(0, 300))
    unit = draw(st.sampled_from(["input", "output", "input.cache_read"]))
    set_price(organization, draw(prices), unit=unit, since=LATER + timedelta(days=days))


def a_key_revoked(draw, organization):
    ApiKey.objects.of(organization.pk).update(revoked_at=timezone.now())


def a_project_renamed(draw, organization):
    project = Project.objects.of(organization.pk).order_by("?").first()
    project.name = draw(st.text("abc", min_size=1, max_size=9))
    project.save()


def a_project_archived(draw, organization):
    Project.objects.of(organization.pk).update(archived_at=timezone.now())


def a_viewer_elsewhere(draw, organization):
    timezone.activate(ZoneInfo(draw(st.sampled_from(["Asia/Kolkata", "America/New_York", "UTC"]))))
    User.objects.get_or_create(username="viewer")


def a_later_credit_rate(draw, organization):
    add_credit_rate(
        ConversionRow(
            what="credit",
            currency="USD",
            price=draw(st.decimals("0.001", "9", places=3)),
            effective_from=LATER,
        ),
        organization=organization,
    )


def a_later_exchange_rate(draw, organization):
    add_fx_rate(
        ConversionRow(
            what="USD",
            currency="CNY",
            price=draw(st.decimals("0.1", "9", places=3)),
            effective_from=LATER,
        ),
        organization=organization,
    )


def another_models_alias(draw, organization):
    add_alias(
        AliasRow(provider="testing", alias="opal-next", model_provider="testing", model="opal"),
        organization=organization,
    )


HAPPENINGS = (
    a_later_price,
    a_key_revoked,
    a_project_renamed,
    a_project_archived,
    a_viewer_elsewhere,
    a_later_credit_rate,
    a_later_exchange_rate,
    another_models_alias,
)


def books_with_a_past(*, prices_come_late):
    organization = make_organization()
    if not prices_come_late:
        price_opal(organization)
    create_api_key(organization_id=organization.pk, project_id=1, name="ci", scopes=["ingest"])
    key = ApiKey.objects.of(organization.pk).get()
    records = [
        usage_record(
            f"r{n}",
            at=NOON + timedelta(hours=17 * n),
            project_id=1 + n % 2,
            session_id=f"s{n % 4}",
            input_tokens=1_001 * n,
            cache_read_input_tokens=n,
            output_tokens=7 * n,
            place={"api_key_id": key.pk if n % 3 else None},
        )
        for n in range(30)
    ]
    post_to(organization.pk, records)
    if prices_come_late:
        price_opal(organization)
    return organization


def totals(organization):
    params = {"from": ["2026-03-01"], "to": ["2026-05-01"], "bucket": ["day"], "group": ["project"]}
    table = usage_table(usage_filter(params, organization, NOW))
    rows = [(row.bucket, row.group.value, written_totals(row.totals)) for row in table.rows]
    return rows, written_totals(table.totals)


class PastStays(TestCase):
    @settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.data(), st.lists(st.sampled_from(HAPPENINGS), min_size=1, max_size=5))
    def test_no_past_amount_moves(self, data, happenings):
        organization = books_with_a_past(prices_come_late=data.draw(st.booleans()))
        before, shown = whole_books(organization), totals(organization)
        try:
            for happening in happenings:
                happening(data.draw, organization)
            assert whole_books(organization) == before
            assert totals(organization) == shown
            assert is_whole(organization)
        finally:
            timezone.deactivate()
