"""Sample books: sixty seeded days that show every page at work, removable in one step.

In them: five models, three projects, a price change, a day on which the cache stopped working, and
one day of ten times the usual load.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

from django.db import connection, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounting.domain.changes import Change
from accounting.domain.tokens import from_inclusive
from accounting.domain.usage import Identity, Place, UsageRecord, Use
from accounting.models import ApiKey, Import, Organization, Project, UsageHour
from accounting.services import ledger
from accounting.services.locks import lock_books
from accounting.services.overlaps import forget_telling
from accounting.services.posting import Telling, ensure_months, post_usage
from accounting.services.price_files import BookRow
from accounting.services.price_rows import RateRow
from accounting.services.pricebooks import add_rates
from accounting.services.rollups import add_differences
from accounting.services.statistics import after_import

DAYS = 60
SEED = 2026
SESSIONS_A_DAY = 14
PRICE_CHANGE_DAY = 35
CACHE_REGRESSION = range(44, 49)
SPIKE_DAY = 52
OWN_MODEL = "harbor-32b"
PROJECTS = (("assistant", "Assistant"), ("search", "Search"), ("evaluation", "Evaluation"))
#: Provider, model, share of the sessions, tokens of a typical prompt and answer.
MODELS = (
    ("anthropic", "claude-sonnet-4-5", 40, 9_000, 420),
    ("openai", "gpt-5", 25, 3_500, 600),
    ("openai", "gpt-5-mini", 20, 1_800, 300),
    ("google", "gemini-2.5-pro", 10, 6_000, 500),
    ("harbor", OWN_MODEL, 5, 2_500, 350),
)
PEOPLE = ("ana", "bo", "chen", "dara", "eli")

TAKE_AWAY = """
    WITH gone AS (
        DELETE FROM accounting_usageevent
        WHERE organization_id = %(organization)s AND import_id = ANY(%(imports)s)
        RETURNING *
    )
    INSERT INTO posting_change SELECT -1, gone.* FROM gone
"""

#: What its import is called.
NAME = "Sample data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """What was loaded or removed."""

    requests: int
    change: Change


def is_loaded(organization_id: int) -> bool:
    """Whether an organization's books hold the sample."""
    return Import.objects.of(organization_id).filter(door="demo").exists()


def load_demo(*, organization_id: int, now: datetime) -> Demo:
    """Fill in the sixty days before now; a second call changes nothing."""
    organization = Organization.objects.get(pk=organization_id)
    projects = [_project(organization, slug, name) for slug, name in PROJECTS]
    start = (now.astimezone(UTC) - timedelta(days=DAYS)).replace(
        hour=0, minute=0, second=0, microsecond=0
    )
    _own_prices(organization, start)
    records = list(_records(start, now, projects))
    ensure_months(record.place.started_at for record in records)
    with transaction.atomic():
        source = Import.objects.create(
            organization=organization, door="demo", name=NAME, state="done", format="demo"
        )
        tellings = [
            Telling(line=line, records=(_placed(record, source.pk, line),))
            for line, record in enumerate(records, start=1)
        ]
        posted = post_usage(organization_id=organization_id, tellings=tellings)
        if not posted.recorded:
            source.delete()
            return Demo(requests=0, change=posted.change)
        Import.objects.of(organization_id).filter(pk=source.pk).update(
            lines=len(records),
            recorded=posted.recorded,
            updated=posted.updated,
            duplicates=posted.duplicates,
            conflicts=posted.conflicts,
            finished_at=now,
            change=posted.change.as_json(),
        )
    after_import(posted.recorded)
    return Demo(requests=posted.change.requests, change=posted.change)


def remove_demo(*, organization_id: int) -> int:
    """Take the sample out of the books again; the number of events that went.

    Its projects are archived unless somebody else uses them; its price book stays, as all prices do.
    """
    with transaction.atomic():
        lock_books(organization_id)
        zone = Organization.objects.get(pk=organization_id).time_zone
        imports = list(
            Import.objects.of(organization_id).filter(door="demo").values_list("pk", flat=True)
        )
        ledger.stage(())
        with connection.cursor() as cursor:
            cursor.execute(TAKE_AWAY, {"organization": organization_id, "imports": imports})
            gone = int(cursor.rowcount)
        add_differences(organization_id, zone, source="posting_change", with_losses=True)
        forget_telling(organization_id, imports)
        Import.objects.of(organization_id).filter(pk__in=imports).delete()
        if imports:
            _archive_projects(organization_id)
    return gone


def _project(organization: Organization, slug: str, name: str) -> Project:
    return Project.objects.update_or_create(
        organization=organization,
        slug=slug,
        defaults={"archived_at": None},
        create_defaults={"name": name},
    )[0]


def _archive_projects(organization_id: int) -> None:
    usage = UsageHour.objects.of(organization_id).filter(project_id=OuterRef("pk"))
    keys = ApiKey.objects.of(organization_id).filter(project=OuterRef("pk"))
    Project.objects.of(organization_id).filter(
        ~Exists(usage), ~Exists(keys), slug__in=dict(PROJECTS), archived_at=None
    ).update(archived_at=timezone.now())


def _own_prices(organization: Organization, start: datetime) -> None:
    """A model of our own that became cheaper on one of the days."""
    add_rates(
        [
            RateRow(
                provider="harbor",
                model=OWN_MODEL,
                unit=unit,
                price=Decimal(price),
                effective_from=start + timedelta(days=day),
                source="sample data",
            )
            for day, unit, price in (
                (0, "input", "0.60"),
                (0, "output", "2.40"),
                (PRICE_CHANGE_DAY, "input", "0.40"),
                (PRICE_CHANGE_DAY, "output", "1.60"),
            )
        ],
        organization=organization,
        book=BookRow(code="sample", currency="USD"),
    )


def _records(start: datetime, now: datetime, projects: list[Project]) -> Iterator[UsageRecord]:
    random = Random(SEED)  # noqa: S311
    for day in range(DAYS + 1):
        morning = start + timedelta(days=day)
        weekend = morning.weekday() >= 5
        sessions = SESSIONS_A_DAY // (3 if weekend else 1) * (10 if day == SPIKE_DAY else 1)
        for number in range(sessions):
            yield from (
                record
                for record in _session(random, morning, day, number, projects)
                if record.place.started_at < now
            )


def _session(
    random: Random, morning: datetime, day: int, number: int, projects: list[Project]
) -> Iterator[UsageRecord]:
    provider, model, _, prompt, answer = random.choices(
        MODELS, [share for *_, share, _, _ in MODELS]
    )[0]
    moment = morning + timedelta(seconds=random.randrange(7 * 3600, 20 * 3600))
    project = random.choice(projects)
    person = random.choice(PEOPLE)
    context = prompt * random.randrange(60, 140) // 100
    for turn in range(random.randrange(2, 9)):
        output = answer * random.randrange(40, 180) // 100
        cached = 0 if turn == 0 or day in CACHE_REGRESSION else context * 9 // 10
        failed = random.random() < 0.01
        yield UsageRecord(
            identity=Identity(response_id=f"demo-{day}-{number}-{turn}"),
            use=Use(
                counts=from_inclusive()
                if failed
                else from_inclusive(
                    input_tokens=context + 200,
                    cache_read_input_tokens=cached,
                    cache_write_input_tokens=0,
                    output_tokens=output,
                ),
                usage_state="missing" if failed else "reported",
                source="demo",
                provider=provider,
                response_model=model,
                status="error" if failed else "ok",
                error_origin="upstream" if failed else "",
                finish_reason="" if failed else "stop",
                duration_ms=float(900 + output * 14),
                ttft_ms=float(random.randrange(250, 1400)),
                tpot_ms=float(random.randrange(9, 24)),
            ),
            place=Place(
                started_at=moment,
                session_id=f"demo-{day:02}-{number:03}",
                user_id=person,
                project_id=project.pk,
                team="platform" if person in PEOPLE[:2] else "product",
                environment="production" if random.random() < 0.8 else "staging",
            ),
        )
        context += output + 150
        moment += timedelta(seconds=random.randrange(15, 240))


def _placed(record: UsageRecord, import_id: int, line: int) -> UsageRecord:
    place = record.place
    return UsageRecord(
        identity=record.identity,
        use=record.use,
        place=Place(
            **{
                name: getattr(place, name)
                for name in (
                    "started_at", "session_id", "user_id", "project_id", "team", "environment",
                )
            },
            import_id=import_id,
            line=line,
        ),
    )  # fmt: skip
