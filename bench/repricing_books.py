"""The books of the repricing benchmark: events over 90 days, posted once, then copied by SQL."""

import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

from django.db import connection, transaction

from accounting.domain.tokens import TokenCounts
from accounting.domain.usage import Identity, Place, UsageRecord, Use
from accounting.models import Organization, Project
from accounting.services.columns import NAMES
from accounting.services.posting import Telling, ensure_months, post_usage
from accounting.services.price_files import BookRow
from accounting.services.price_rows import RateRow
from accounting.services.pricebooks import add_rates
from accounting.services.rollups import rebuild

DAYS = 90
TEMPLATE = 4_000
START = datetime(2026, 9, 1, tzinfo=UTC)
MODELS = tuple(f"model-{n}" for n in range(8))
_COPIED = {
    "dedupe_key": "decode(md5(encode(dedupe_key, 'hex') || ':' || n), 'hex')",
    "month": "date_trunc('month', (occurred_at + shift) AT TIME ZONE 'UTC')::date",
    "occurred_at": "occurred_at + shift",
    "response_id": "response_id || ':' || n",
    "session_id": "session_id || ':' || n",
}
COPY = f"""
    INSERT INTO accounting_usageevent ({", ".join(NAMES)})
    SELECT {", ".join(_COPIED.get(name, name) for name in NAMES)}
    FROM (
        SELECT e.*, n, (n %% {DAYS}) * interval '1 day' + n * interval '1 millisecond' AS shift
        FROM accounting_usageevent AS e, generate_series(1, %(copies)s) AS n
        WHERE organization_id = %(organization)s
    ) AS copies
    ORDER BY occurred_at + shift
"""


def filled(events: int) -> Organization:
    """The organization, its books filled with so many events."""
    started = time.monotonic()
    organization = Organization.objects.create(slug=f"bench-{time.time_ns()}", name="Bench")
    projects = [
        Project.objects.create(organization=organization, slug=f"p{n}", name=f"P{n}").pk
        for n in range(4)
    ]
    ensure_months(START + timedelta(days=day) for day in range(DAYS + 2))
    chance = Random(4)
    tellings = [
        Telling(line=n + 1, records=(record(chance, n, projects),)) for n in range(TEMPLATE)
    ]
    with transaction.atomic():
        post_usage(organization_id=organization.pk, tellings=tellings)
    with connection.cursor() as cursor:
        copies = events // TEMPLATE - 1
        cursor.execute(COPY, {"organization": organization.pk, "copies": copies})
        rebuild(organization_id=organization.pk)
        cursor.execute("VACUUM ANALYZE")
    print(f"{'made in':30} {time.monotonic() - started:.0f} s", flush=True)
    return organization


def record(chance: Random, number: int, projects: list[int]) -> UsageRecord:
    user = chance.randrange(20)
    tokens = chance.randrange(1_000, 60_000)
    return UsageRecord(
        identity=Identity(response_id=f"bench-{number}"),
        use=Use(
            counts=TokenCounts(
                input_tokens=tokens,
                cache_read_input_tokens=chance.randrange(tokens),
                output_tokens=chance.randrange(4_000),
            ),
            source="bench",
            provider="bench",
            response_model=MODELS[(user + chance.randrange(3)) % len(MODELS)],
            duration_ms=float(chance.randrange(200, 60_000)),
        ),
        place=Place(
            started_at=START + timedelta(seconds=chance.randrange(86_000)),
            project_id=projects[user % len(projects)],
            session_id=f"s{chance.randrange(TEMPLATE // 20)}",
            user_id=f"u{user}",
            team=f"t{user % 5}",
            tags=(("env", "prod"),),
        ),
    )


def set_prices(organization_id: int, price: str) -> None:
    units = {"input": price, "input.cache_read": "0.30", "output": "15"}
    add_rates(
        [
            RateRow(
                provider="bench", model=model, unit=unit, price=Decimal(each),
                effective_from=datetime(2020, 1, 1, tzinfo=UTC),
            )
            for model in MODELS
            for unit, each in units.items()
        ],
        organization=Organization.objects.get(pk=organization_id),
        book=BookRow(code="bench", currency="USD"),
    )  # fmt: skip
