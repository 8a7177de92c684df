"""Measures a repricing at full size, with its worker killed in the middle.

    TALLYBOOK_DATA_DIR=… python -m bench.reprice [EVENTS]

Fills an organization of its own with events over 90 days (posted once, then copied by SQL), changes
one rate that all of them used, drafts, applies with a SIGKILL half-way, and undoes, each in another
process, while this one asks the overview's question again and again. Prints what it took, and fails
where the dry run and the application differ, undoing does not give back every charge, a sum is wrong,
or the overview's p95 is above 500 ms.
"""

import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection, transaction  # noqa: E402

from accounting.domain.tokens import TokenCounts  # noqa: E402
from accounting.domain.usage import Identity, Place, UsageRecord, Use  # noqa: E402
from accounting.embedded.server import PrivateServer  # noqa: E402
from accounting.management.preparation import prepare_database  # noqa: E402
from accounting.models import Organization, Project, RepriceRun  # noqa: E402
from accounting.queries.filters import usage_filter  # noqa: E402
from accounting.queries.overview import overview  # noqa: E402
from accounting.services.columns import NAMES  # noqa: E402
from accounting.services.posting import Telling, ensure_months, post_usage  # noqa: E402
from accounting.services.price_files import BookRow  # noqa: E402
from accounting.services.price_rows import RateRow  # noqa: E402
from accounting.services.pricebooks import add_rates  # noqa: E402
from accounting.services.reprice_runs import apply_run, draft_run, undo_run  # noqa: E402
from accounting.services.rollups import differences, rebuild  # noqa: E402

DAYS = 90
TEMPLATE = 4_000
START = datetime(2026, 9, 1, tzinfo=UTC)
NOW = START + timedelta(days=DAYS - 1, hours=23)
MODELS = tuple(f"model-{n}" for n in range(8))
LIMIT_MS = 500.0
WORKER = (
    "import django; django.setup();"
    "from accounting.services.repricing_chunks import carry_on;"
    "carry_on(run_id={run})"
)
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
CHARGES = """
    SELECT count(*), sum(cost), sum(cost_base), sum(credits),
           sum(hashtextextended(concat_ws('|', encode(dedupe_key, 'hex'), model, currency,
               cost_state, trim_scale(cost), trim_scale(cost_input), trim_scale(cost_output),
               trim_scale(cost_cache_read), price_version), 0)::numeric)
    FROM accounting_usageevent WHERE organization_id = %(organization)s
"""


def main() -> int:
    """Run it all; exit 1 where a promise does not hold."""
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 1_200_000
    if not settings.EMBEDDED:
        return run(events)
    with PrivateServer(settings.DATA_FOLDER).use():
        return run(events)


def run(events: int) -> int:
    prepare_database()
    organization = filled(events)
    before = charges(organization)
    told("events", before[0])
    set_prices(organization, "3.7")
    wanted = usage_filter({"from": ["2026-09-01"], "to": ["2026-12-01"]}, organization, NOW)
    run_id = draft_run(wanted=wanted).run_id
    asked = {"draft": finished(organization, run_id)}
    apply_run(organization_id=organization.pk, run_id=run_id)
    half = finished(organization, run_id, until=before[0] // 2)
    state = RepriceRun.objects.get(pk=run_id)
    told("killed after", f"{state.done} events, {state.state}")
    asked["apply"] = half + finished(organization, run_id)
    applied = RepriceRun.objects.get(pk=run_id)
    told("dry run equals apply", applied.draft == applied.outcome)
    told("changed", applied.outcome["changed"])
    wrong_after = sum(differences(organization_id=organization.pk).values())
    undo_run(organization_id=organization.pk, run_id=run_id)
    asked["undo"] = finished(organization, run_id)
    gives_back = charges(organization) == before
    told("undo gives back every charge", gives_back)
    wrong = wrong_after + sum(differences(organization_id=organization.pk).values())
    told("rollups verify", f"{wrong} differences")
    worst = max(p95(name, times) for name, times in asked.items())
    is_right = applied.draft == applied.outcome and gives_back and not wrong
    return 0 if is_right and worst <= LIMIT_MS else 1


def filled(events: int) -> Organization:
    """The organization, its books filled with so many events."""
    started = time.monotonic()
    organization = Organization.objects.create(slug=f"bench-{time.time_ns()}", name="Bench")
    projects = [
        Project.objects.create(organization=organization, slug=f"p{n}", name=f"P{n}").pk
        for n in range(4)
    ]
    set_prices(organization, "3")
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
    told("filled in", f"{time.monotonic() - started:.0f} s")
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


def set_prices(organization: Organization, price: str) -> None:
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
        organization=organization,
        book=BookRow(code="bench", currency="USD"),
    )  # fmt: skip


def finished(organization: Organization, run_id: int, *, until: int | None = None) -> list[float]:
    """Let a worker carry the run on, killed at `until`; the overview's times meanwhile, in ms."""
    started = time.monotonic()
    wanted = usage_filter({"range": ["30d"]}, organization, NOW)
    worker = subprocess.Popen([sys.executable, "-c", WORKER.format(run=run_id)])
    times = []
    while worker.poll() is None:
        asked_at = time.monotonic()
        overview(wanted)
        times.append((time.monotonic() - asked_at) * 1000)
        if until is not None and RepriceRun.objects.get(pk=run_id).done >= until:
            worker.kill()
            worker.wait()
        time.sleep(1)
    told(RepriceRun.objects.get(pk=run_id).state, f"{time.monotonic() - started:.0f} s")
    return times


def p95(name: str, times: list[float]) -> float:
    times = sorted(times)
    found = times[min(len(times) - 1, len(times) * 95 // 100)]
    middle = times[len(times) // 2]
    told(f"overview during {name}", f"p50 {middle:.0f} ms, p95 {found:.0f} ms ({len(times)} asked)")
    return found


def charges(organization: Organization) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(CHARGES, {"organization": organization.pk})
        return tuple(cursor.fetchone())


def told(name: str, value: object) -> None:
    print(f"{name:30} {value}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
