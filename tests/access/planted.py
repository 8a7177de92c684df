"""Books with a word in every name: whoever is shown the word has seen what is not theirs."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from accounting.models import ApiKey, Import, Mapping, Project, Run, UsageEvent
from accounting.queries.filters import usage_filter
from accounting.services.reprice_runs import draft_run
from accounting.services.tenants import create_api_key
from tests.factories import ImportFactory
from tests.queries.posted import NOON, post, priced_organization
from tests.records import usage_record

WORD = "heliotrope"


@dataclass(frozen=True, kw_only=True)
class Planted:
    """An organization's books, and what addresses need to name something in them."""

    organization: object
    project: Project
    source: Import
    key: ApiKey
    event: str
    run_id: int
    benchmarks: tuple[int, int]

    @property
    def names(self):
        return {
            "import_id": self.source.pk,
            "key_id": self.key.pk,
            "key": self.event,
            "run_id": self.run_id,
            "benchmark": self.benchmarks[0],
            "second": self.benchmarks[1],
            "session_id": f"{WORD}-session",
            "project": f"{WORD}-project",
            "project_id": self.project.pk,
            "word": WORD,
        }


def planted():
    """One project's usage of two models, a session, a benchmark run, an import, a key, a mapping."""
    organization = priced_organization(name=f"{WORD} Ltd", slug=f"{WORD}-ltd")
    project = Project.objects.create(
        organization=organization, slug=f"{WORD}-project", name=f"{WORD} project"
    )
    create_api_key(
        organization_id=organization.pk,
        project_id=project.pk,
        name=f"{WORD}-key",
        scopes=["ingest", "read"],
    )
    key = ApiKey.objects.of(organization.pk).get()
    source = ImportFactory(
        organization=organization, project=project, name=f"{WORD}.jsonl", api_key=key
    )
    Mapping.objects.create(
        organization=organization,
        name=f"{WORD}-mapping",
        definition={
            "name": f"{WORD}-mapping",
            "columns": {"started_at": "when", "model": "model", "output_tokens": "answered"},
            "time": "iso",
        },
    )
    benchmark = Run.objects.create(
        organization=organization, label=f"{WORD}-run", tool="vllm_bench", started_at=NOON
    )
    second = Run.objects.create(
        organization=organization, label=f"{WORD}-run-2", tool="vllm_bench", started_at=NOON
    )
    place = {
        "import_id": source.pk,
        "api_key_id": key.pk,
        "user_id": f"{WORD}-user",
        "team": f"{WORD}-team",
        "tags": ((f"{WORD}-tag", WORD),),
    }
    common = {"project_id": project.pk, "input_tokens": 100, "output_tokens": 10}
    post(
        organization,
        usage_record(
            "e1", at=NOON, ttft_ms=400.0, session_id=f"{WORD}-session", place=place, **common
        ),
        usage_record("e2", at=NOON, response_model=f"{WORD}-model", place=place, **common),
        usage_record(
            "e3",
            at=NOON,
            purpose="benchmark",
            place={**place, "run_id": benchmark.pk},
            **common,
        ),
    )
    days = {"from": ["2026-10-01"], "to": ["2026-11-01"]}
    run = draft_run(wanted=usage_filter(days, organization, timezone.now()))
    event = UsageEvent.objects.of(organization.pk).filter(session_id=f"{WORD}-session").get()
    return Planted(
        organization=organization,
        project=project,
        source=source,
        key=key,
        event=bytes(event.dedupe_key).hex(),
        run_id=run.run_id,
        benchmarks=(benchmark.pk, second.pk),
    )


def past():
    """A moment at which a key is over."""
    return timezone.now() - timedelta(seconds=1)
