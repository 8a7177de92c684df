"""Fills books of any size for measuring questions: usage of 90 days, written by SQL into the ledger.

    TALLYBOOK_DATA_DIR=… python -m bench.books EVENTS

20 models, 50 projects, 200 keys, 400 people and 200,000 sessions, whatever the number of events; one
request in a hundred failed, one model has no price. The rollups are the project's own rebuild. Does
nothing where the folder's books are there already, except bringing tables and rollups up to date.
"""

import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection, transaction  # noqa: E402

from accounting.domain.periods import next_month  # noqa: E402
from accounting.embedded.server import PrivateServer  # noqa: E402
from accounting.management.preparation import prepare_database  # noqa: E402
from accounting.models import ApiKey, Import, Organization, PriceVersion, Project  # noqa: E402
from accounting.services.partitions import LEDGER  # noqa: E402
from accounting.services.price_files import BookRow  # noqa: E402
from accounting.services.price_rows import RateRow  # noqa: E402
from accounting.services.pricebooks import Author, add_rates  # noqa: E402
from accounting.services.rollup_sums import ROLLUPS  # noqa: E402
from accounting.services.rollups import rebuild  # noqa: E402
from bench.books_sql import INDEX, KEYS, MODELS, SESSIONS, columns_of_events, events  # noqa: E402

SLUG = "bench"
START = datetime(2026, 9, 1, tzinfo=UTC)
DAYS = 90
#: What questions take for now: the last hour of the last day.
NOW = START + timedelta(days=DAYS) - timedelta(hours=1)
MODEL_COUNT, PROJECT_COUNT, KEY_COUNT, SESSION_COUNT = 20, 50, 200, 200_000
#: While it fills, a crash costs nothing and nothing need be logged for one.
CARELESS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "8GB",
    "maintenance_work_mem": "512MB",
    "work_mem": "512MB",
    "max_parallel_workers_per_gather": "0",
}


def main() -> int:
    size = int(sys.argv[1])
    if not settings.EMBEDDED:
        filled(size)
        return 0
    with PrivateServer(settings.DATA_FOLDER, options=CARELESS).use():
        filled(size)
    return 0


def filled(size: int) -> Organization:
    """The organization whose books hold so many events."""
    prepare_database()
    organization = Organization.objects.filter(slug=SLUG).first()
    if organization is None:
        with transaction.atomic():
            organization = Organization.objects.create(slug=SLUG, name="Bench")
            _owners(organization)
        _prices(organization)
        _written(organization, size)
        _summed(organization)
    elif not all(_has_rows(rollup.table) for rollup in ROLLUPS):
        _summed(organization)
    return organization


def _owners(organization: Organization) -> None:
    projects = Project.objects.bulk_create(
        Project(organization=organization, slug=f"p{n:02}", name=f"Project {n}")
        for n in range(PROJECT_COUNT)
    )
    ApiKey.objects.bulk_create(
        ApiKey(
            organization=organization,
            project=projects[n % PROJECT_COUNT],
            name=f"key-{n:03}",
            prefix=f"k{n:03}",
            digest=f"bench-{n:03}".encode(),
        )
        for n in range(KEY_COUNT)
    )
    Import.objects.create(
        organization=organization, door="command", name="bench.jsonl", state="done", format="bench"
    )


def _prices(organization: Organization) -> None:
    """All models but the last have a price: whole cents for each million tokens."""
    add_rates(
        [
            RateRow(
                provider=f"provider-{n % 4}", model=f"model-{n:02}", unit=unit,
                price=Decimal(price * (n + 1)) / 100,
                effective_from=datetime(2020, 1, 1, tzinfo=UTC),
            )
            for n in range(MODEL_COUNT - 1)
            for unit, price in (
                ("input", 100), ("input.cache_read", 10), ("input.cache_write", 125),
                ("output", 500),
            )
        ],
        organization=organization,
        book=BookRow(code="bench", currency="USD"),
        by=Author(confirmed=True),
    )  # fmt: skip


def _written(organization: Organization, size: int) -> None:
    """Every month's partition, filled before it gets its indexes."""
    source = Import.objects.get(organization=organization)
    version = PriceVersion.objects.order_by("-pk").values_list("pk", flat=True)[0]
    parameters = {
        "organization": organization.pk,
        "import": source.pk,
        "version": version,
        "start": START,
        "days": DAYS,
        "sessions": SESSION_COUNT,
        "turns": size // SESSION_COUNT,
    }
    with connection.cursor() as cursor:
        cursor.execute("SELECT setseed(0.42)")
        for statement in (MODELS, KEYS, SESSIONS):
            cursor.execute(statement, parameters)
        cursor.execute(INDEX)
        cursor.execute("ANALYZE bench_session")
        month, last = START.date().replace(day=1), (START + timedelta(days=DAYS + 1)).date()
        while month <= last:
            _timed(f"{month:%Y-%m}", lambda month=month: _month(cursor, month, parameters))
            month = next_month(month)


def _month(cursor: Any, month: date, parameters: dict[str, Any]) -> None:
    name = f"{LEDGER}_{month:%Y_%m}"
    end = next_month(month)
    with transaction.atomic():
        cursor.execute(f"CREATE TABLE {name} (LIKE {LEDGER} INCLUDING ALL EXCLUDING INDEXES)")
        columns, made = columns_of_events(), events()
        day = month
        while day < end:
            # A day at a time: sorted in memory, so that they lie as they came.
            cursor.execute(
                f"INSERT INTO {name} ({', '.join(columns)}) {made}",
                {**parameters, "day": day, "next_day": day + timedelta(days=1)},
            )
            day += timedelta(days=1)
        cursor.execute(
            f"ALTER TABLE {LEDGER} ATTACH PARTITION {name} FOR VALUES FROM ('{month}') TO ('{end}')"
        )


def _summed(organization: Organization) -> None:
    _timed("rollups", lambda: rebuild(organization_id=organization.pk))
    with connection.cursor() as cursor:
        _timed("vacuum", lambda: cursor.execute("VACUUM (ANALYZE)"))


def _has_rows(table: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT EXISTS (SELECT FROM {table})")
        return bool(cursor.fetchone()[0])


def _timed(name: str, work: Callable[[], object]) -> None:
    started = time.monotonic()
    work()
    print(f"{name:30} {time.monotonic() - started:.1f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
