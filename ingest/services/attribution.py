"""Whose a record is: its project, its key, the run it belongs to."""

from dataclasses import dataclass, field, replace

from accounting.domain.usage import UsageRecord
from accounting.models import Import, Project, Run
from accounting.services.tenants import default_project
from ingest.formats.base import Counted, Format, Options


@dataclass(slots=True, kw_only=True)
class Attribution:
    """Settles the owners of one import's records; looks each name up once.

    The project is what the import names, else what the record names, else the key's, else the
    default one.
    """

    organization_id: int
    import_id: int
    api_key_id: int | None
    named_project_id: int | None
    other_project_id: int
    _projects: dict[str, int] = field(default_factory=dict)
    _runs: dict[tuple[str, str], int] = field(default_factory=dict)

    def settled(
        self, record: UsageRecord, counted: Counted, known: Format, options: Options
    ) -> UsageRecord:
        """One of a counted line's records with the ids of its project, key, run and import."""
        named_project_id = self.named_project_id or self._projects.get(counted.project)
        is_benchmark = record.use.purpose == "benchmark"
        place = replace(
            record.place,
            project_id=named_project_id or self.other_project_id,
            api_key_id=self.api_key_id,
            run_id=self._run(record, known, options) if is_benchmark else None,
            import_id=self.import_id,
            line=counted.line,
        )
        return replace(record, place=place)

    def _run(self, record: UsageRecord, known: Format, options: Options) -> int:
        label = options.run[:200] or known.title
        run_id = self._runs.get((known.name, label))
        if run_id is None:
            run, _ = Run.objects.get_or_create(
                organization_id=self.organization_id,
                tool=known.name,
                label=label,
                defaults={
                    "model": record.use.model or options.model,
                    "started_at": record.place.started_at,
                },
            )
            run_id = self._runs[known.name, label] = run.pk
        return run_id


def attribution_of(source: Import) -> Attribution:
    """The attribution of an import's records; at most three queries."""
    projects = Project.objects.of(source.organization_id).filter(archived_at=None)
    return Attribution(
        organization_id=source.organization_id,
        import_id=source.pk,
        api_key_id=source.api_key_id,
        named_project_id=source.project_id,
        other_project_id=_otherwise(source),
        _projects=dict(projects.values_list("slug", "pk")),
    )


def _otherwise(source: Import) -> int:
    if source.project_id is not None:
        return source.project_id
    if source.api_key is not None:
        return source.api_key.project_id
    return default_project(source.organization_id).pk
