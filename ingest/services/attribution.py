"""Whose a record is: its project, its key, the run it belongs to."""

from dataclasses import dataclass, field

from accounting.domain.attribution import (
    BY_LIMITED_KEY,
    NAMED_BY_IMPORT,
    NAMED_BY_RECORD,
    facts_of,
)
from accounting.domain.usage import Place, UsageRecord
from accounting.domain.values import quick
from accounting.models import Import, Project, Run
from accounting.services.attribution import Rules, Settled, loaded_rules, unnamed_project
from ingest.formats.base import Counted, Format, Options, RunInfo


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a source record stands. path: the file inside its input, '' where the input is one."""

    path: str
    line: int
    offset: int | None


@dataclass(slots=True, kw_only=True)
class Attribution:
    """Settles the owners of one import's records; looks each name up once.

    The project is what the import names, else what the record names, else that of the first rule
    which fits, else the key's, else the default one. A key that is limited to its project charges
    everything there, whatever else is named.

    named: what the import names. otherwise: the key's project or the default one.
    """

    organization_id: int
    import_id: int
    api_key_id: int | None
    api_key_name: str
    named: Settled | None
    otherwise: Settled
    rules: Rules
    _projects: dict[str, int] = field(default_factory=dict)
    _runs: dict[tuple[str, str], int] = field(default_factory=dict)

    def settled(
        self,
        record: UsageRecord,
        counted: Counted,
        known: Format,
        options: Options,
        origin: Origin,
    ) -> UsageRecord:
        """One of a counted line's records with the ids of its project, key and run, and its origin."""
        place = record.place
        project = self.named or self._project(place, counted.project)
        is_benchmark = record.use.purpose == "benchmark"
        return UsageRecord(
            identity=record.identity,
            use=record.use,
            place=place.settled(
                project_id=project.project_id,
                project_basis=project.basis,
                api_key_id=self.api_key_id,
                run_id=self.run_id(counted.run, known, options, record) if is_benchmark else None,
                import_id=self.import_id,
                path=origin.path[:1000],
                line=origin.line,
                byte_offset=origin.offset,
            ),
            restamps=record.restamps,
        )

    def _project(self, place: Place, slug: str) -> Settled:
        named_id = self._projects.get(slug)
        if named_id is not None:
            return Settled(project_id=named_id, basis=NAMED_BY_RECORD)
        if not self.rules:
            return self.otherwise
        return self.rules.settled(facts_of(place, self.api_key_name), otherwise=self.otherwise)

    def run_id(
        self,
        told: RunInfo | None,
        known: Format,
        options: Options,
        record: UsageRecord | None = None,
    ) -> int:
        """The run that a source record tells of, else the one that the options name.

        record: one of its requests, for what the source does not say about the run as a whole.
        """
        run = told or RunInfo()
        label = (run.label or options.run)[:200] or known.title
        run_id = self._runs.get((known.name, label))
        if run_id is None:
            model = run.model or (record.use.model if record else "") or options.model
            found, _ = Run.objects.get_or_create(
                organization_id=self.organization_id,
                tool=known.name,
                label=label,
                defaults={
                    "model": model,
                    "settings": dict(run.settings),
                    "started_at": run.started_at or (record.place.started_at if record else None),
                    "source_import_id": self.import_id,
                },
            )
            run_id = self._runs[known.name, label] = found.pk
        return run_id


def attribution_of(source: Import) -> Attribution:
    """The attribution of an import's records; at most four queries."""
    projects = Project.objects.of(source.organization_id).filter(archived_at=None)
    key = source.api_key
    named = None
    if key is not None and key.is_limited:
        named = Settled(project_id=key.project_id, basis=BY_LIMITED_KEY)
    elif source.project_id is not None:
        named = Settled(project_id=source.project_id, basis=NAMED_BY_IMPORT)
    return Attribution(
        organization_id=source.organization_id,
        import_id=source.pk,
        api_key_id=source.api_key_id,
        api_key_name=key.name if key else "",
        named=named,
        otherwise=unnamed_project(source.organization_id, key),
        rules=loaded_rules(source.organization_id),
        _projects=dict(projects.values_list("slug", "pk")),
    )
