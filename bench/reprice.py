"""Measures prices that come late and a repricing at full size, each worker killed in the middle.

    TALLYBOOK_DATA_DIR=… python -m bench.reprice [EVENTS]

Fills an organization of its own with events over 90 days (posted once, then copied by SQL) that have no
price, and enters one: it is filled in, with a SIGKILL half-way. Then it changes one rate that all of
them used, drafts, applies with a SIGKILL half-way, and undoes, each in another process, while this one
asks the overview's question again and again. Prints what it took, and fails where an event stays
without a price, the dry run and the application differ, undoing does not give back every charge, a sum
is wrong, or the overview's p95 is above 500 ms.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from accounting.embedded.server import PrivateServer  # noqa: E402
from accounting.management.preparation import prepare_database  # noqa: E402
from accounting.models import Organization, PriceFilling, RepriceRun, UsageEvent  # noqa: E402
from accounting.queries.filters import usage_filter  # noqa: E402
from accounting.queries.overview import overview  # noqa: E402
from accounting.services.reprice_runs import apply_run, draft_run, undo_run  # noqa: E402
from accounting.services.rollups import differences  # noqa: E402
from bench.repricing_books import DAYS, START, filled, set_prices  # noqa: E402

NOW = START + timedelta(days=DAYS - 1, hours=23)
LIMIT_MS = 500.0
SETUP = "import django; django.setup();"
PRICED = SETUP + "from bench.repricing_books import set_prices; set_prices({organization}, '3')"
FILLED_IN = SETUP + (
    "from accounting.services.filling_in import fill_in; fill_in(organization_id={organization})"
)
WORKER = SETUP + (
    "from accounting.services.repricing_chunks import carry_on; carry_on(run_id={run})"
)
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
    asked = {"fill in": priced(organization)}
    before = charges(organization)
    told("events", before[0])
    wrong = verified(organization)
    started = time.monotonic()
    set_prices(organization.pk, "3.7")
    told("a price that fills in none", f"{time.monotonic() - started:.1f} s")
    wanted = usage_filter({"from": ["2026-09-01"], "to": ["2026-12-01"]}, organization, NOW)
    run_id = draft_run(wanted=wanted).run_id
    asked["draft"] = finished(organization, run_id)
    apply_run(organization_id=organization.pk, run_id=run_id)
    half = finished(organization, run_id, until=before[0] // 2)
    state = RepriceRun.objects.get(pk=run_id)
    told("killed after", f"{state.done} events, {state.state}")
    asked["apply"] = half + finished(organization, run_id)
    applied = RepriceRun.objects.get(pk=run_id)
    told("dry run equals apply", applied.draft == applied.outcome)
    told("changed", applied.outcome["changed"])
    wrong += verified(organization)
    undo_run(organization_id=organization.pk, run_id=run_id)
    asked["undo"] = finished(organization, run_id)
    gives_back = charges(organization) == before
    told("undo gives back every charge", gives_back)
    wrong += verified(organization)
    worst = max(p95(name, times) for name, times in asked.items())
    is_right = applied.draft == applied.outcome and gives_back and not wrong
    return 0 if is_right and worst <= LIMIT_MS else 1


def priced(organization: Organization) -> list[float]:
    """Enter the first price, by a process that is killed half-way; the overview's times meanwhile."""
    events = UsageEvent.objects.of(organization.pk)
    every = events.count()
    started = time.monotonic()
    times = asked_while(
        organization,
        PRICED.format(organization=organization.pk),
        lambda: filling(organization) >= every // 2,
    )
    told("killed after", f"{filling(organization)} events, being filled in")
    times += asked_while(organization, FILLED_IN.format(organization=organization.pk))
    took = time.monotonic() - started
    told("filled in by a price", f"{took:.0f} s, {every / took:.0f} events/s")
    # From here on as if the price had been there first: a repricing alone changes these costs.
    events.update(filled_in="")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return times


def filling(organization: Organization) -> int:
    found = PriceFilling.objects.filter(organization=organization).first()
    return found.priced if found else 0


def verified(organization: Organization) -> int:
    """How many sums are wrong, and events without a price."""
    wrong = sum(differences(organization_id=organization.pk).values())
    unpriced = UsageEvent.objects.of(organization.pk).filter(cost__isnull=True).count()
    told("rollups verify", f"{wrong} differences, {unpriced} without a price")
    return wrong + unpriced


def finished(organization: Organization, run_id: int, *, until: int | None = None) -> list[float]:
    """Let a worker carry the run on, killed at `until`; the overview's times meanwhile, in ms."""
    started = time.monotonic()
    times = asked_while(
        organization,
        WORKER.format(run=run_id),
        lambda: until is not None and RepriceRun.objects.get(pk=run_id).done >= until,
    )
    told(RepriceRun.objects.get(pk=run_id).state, f"{time.monotonic() - started:.0f} s")
    return times


def asked_while(
    organization: Organization, program: str, is_enough: Callable[[], bool] = lambda: False
) -> list[float]:
    """Run a program, killed once that is enough; the overview's times meanwhile, in ms."""
    wanted = usage_filter({"range": ["30d"]}, organization, NOW)
    worker = subprocess.Popen([sys.executable, "-c", program])
    times = []
    while worker.poll() is None:
        asked_at = time.monotonic()
        overview(wanted)
        times.append((time.monotonic() - asked_at) * 1000)
        if is_enough():
            worker.kill()
            worker.wait()
        time.sleep(1)
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
