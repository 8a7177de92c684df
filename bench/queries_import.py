"""Posts new requests into the benchmark's books until it is stopped: the import of a busy hour."""

import os
import sys
from datetime import timedelta
from random import Random

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "accounting.config.settings")
django.setup()

from django.db import transaction  # noqa: E402

from accounting.domain.tokens import TokenCounts  # noqa: E402
from accounting.domain.usage import Identity, Place, UsageRecord, Use  # noqa: E402
from accounting.models import Organization, Project  # noqa: E402
from accounting.services.posting import Telling, ensure_months, post_usage  # noqa: E402
from bench.books import NOW, SLUG  # noqa: E402

BATCH = 5_000


def main() -> int:
    organization = Organization.objects.get(slug=SLUG)
    projects = list(Project.objects.of(organization.pk).order_by("pk").values_list("pk", flat=True))
    ensure_months([NOW])
    chance, batch = Random(), 0
    while True:
        tellings = [
            Telling(line=n + 1, records=(record(chance, f"{batch}-{n}", projects),))
            for n in range(BATCH)
        ]
        with transaction.atomic():
            post_usage(organization_id=organization.pk, tellings=tellings)
        batch += 1


def record(chance: Random, number: str, projects: list[int]) -> UsageRecord:
    model = int(20 * chance.random() ** 2)
    sent = chance.randrange(1_000, 40_000)
    return UsageRecord(
        identity=Identity(response_id=f"{os.getpid()}-{number}-{chance.random()}"),
        use=Use(
            counts=TokenCounts(
                input_tokens=sent,
                cache_read_input_tokens=sent * 9 // 10,
                output_tokens=chance.randrange(1_500),
            ),
            source="gateway",
            provider=f"provider-{model % 4}",
            response_model=f"model-{model:02}",
            duration_ms=float(chance.randrange(900, 20_000)),
            ttft_ms=float(chance.randrange(250, 1_400)),
        ),
        place=Place(
            started_at=NOW - timedelta(seconds=chance.randrange(3_600)),
            project_id=chance.choice(projects),
            session_id=f"live-{chance.randrange(500)}",
            user_id=f"person-{chance.randrange(400):03}",
            team=f"team-{chance.randrange(10)}",
        ),
    )


if __name__ == "__main__":
    sys.exit(main())
