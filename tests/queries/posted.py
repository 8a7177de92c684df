"""Organizations with prices, and records posted into their books."""

import json
from dataclasses import replace
from datetime import UTC, datetime

from django.db import transaction

from accounting.models import Project
from accounting.services.posting import Telling, ensure_months, post_usage
from accounting.services.pricebooks import import_table
from tests.factories import OrganizationFactory
from tests.records import usage_record

#: A day inside October 2026, the range that questions in tests have unless they name another.
NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)
PRICES = {
    "book": {"code": "own", "currency": "USD"},
    "rates": [
        {"provider": "testing", "model": model, "unit": unit, "price": price, "from": "2020-01-01"}
        for model, unit, price in [
            ("opal", "input", "0.5"),
            ("opal", "input.cache_read", "0.1"),
            ("opal", "output", "0.075"),
            ("jade", "input", "3"),
            ("jade", "input.cache_read", "0.3"),
            ("jade", "input.cache_write", "3.75"),
            ("jade", "output", "15"),
        ]
    ],
    "credit_rates": [
        {"kind": "credit", "currency": "USD", "price": "0.001", "from": "2020-01-01"},
    ],
}


def priced_organization(**fields):
    """One with opal at 0.5 in, 0.1 cached, 0.075 out, and jade at 3, 0.3, 3.75 written, 15 out."""
    organization = OrganizationFactory(**fields)
    import_table(json.dumps(PRICES).encode(), organization=organization)
    Project.objects.create(organization=organization, slug="default", name="Default")
    return organization


def project_of(organization):
    return Project.objects.of(organization.pk).order_by("pk").first()


def post(organization, *records):
    """Post records, one telling for each."""
    ensure_months(record.place.started_at for record in records)
    tellings = [Telling(line=n, records=(record,)) for n, record in enumerate(records, start=1)]
    with transaction.atomic():
        post_usage(organization_id=organization.pk, tellings=tellings)


def posted(organization, *rows, at=NOON):
    """Post one request for each dict of fields: of a record, of its use, or of its place."""
    project = project_of(organization)
    records = []
    for n, row in enumerate(rows, start=1):
        fields = {"at": at, "project_id": project.pk, "input_tokens": 100, "output_tokens": 10}
        fields |= row
        response_id = fields.pop("response_id", f"{at.timestamp():.0f}-{n}")
        trace_id = fields.pop("trace_id", "")
        record = usage_record(response_id, **fields)
        records.append(replace(record, identity=replace(record.identity, trace_id=trace_id)))
    post(organization, *records)
