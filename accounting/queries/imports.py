"""What became of an import: its state, the outcome of every line, and why lines were rejected."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from accounting.domain.changes import Change
from accounting.models import Import, Rejection
from accounting.models.imports import LINE_COUNTERS

SHOWN_REJECTIONS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedLine:
    """A record that could not be read; line is None where the whole file was refused."""

    path: str
    line: int | None
    code: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WarnedLines:
    """A doubt about records that were counted. places: path and line of the first of them."""

    code: str
    lines: int
    places: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSummary:
    """One import: outcomes counts its lines, change is what it changed in the books.

    state: as `ingest --json` says it once reading is over: done, unchanged (all of it was known),
    refused, failed; until then the state of the import itself. aggregate: what it holds of reports, which
    are in no sum, None where it holds none. assumed_times: so many
    records name no time of their own.
    """

    id: int
    path: str
    format: str
    state: str
    error_code: str
    reason: str
    received_at: datetime
    finished_at: datetime | None
    outcomes: Mapping[str, int]
    change: Mapping[str, object]
    rejections: tuple[RejectedLine, ...]
    warnings: tuple[WarnedLines, ...] = ()
    aggregate: Mapping[str, object] | None = None
    assumed_times: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPage:
    """One page of imports, newest first, without their rejections."""

    imports: tuple[ImportSummary, ...]
    has_more: bool


def import_summary(
    organization_id: int,
    import_id: int,
    *,
    api_key_id: int | None = None,
    only_project_id: int | None = None,
) -> ImportSummary | None:
    """An organization's import with its first rejections, None where it has no such import.

    api_key_id: then only one that came with this key. only_project_id: only one of which everything
    is charged to this project. Two statements, one where there is none.
    """
    found = _seen(organization_id, api_key_id, only_project_id).filter(pk=import_id).first()
    if found is None:
        return None
    path = _path(found)
    rejections = (
        Rejection.objects.of(organization_id)
        .filter(source_import_id=found.pk)
        .order_by("path", "line", "pk")
        .values_list("path", "line", "code", "reason")[:SHOWN_REJECTIONS]
    )
    return _summary(
        found,
        tuple(
            RejectedLine(path=_inside(path, inner), line=line, code=code, reason=reason)
            for inner, line, code, reason in rejections
        ),
    )


def import_page(
    organization_id: int,
    *,
    limit: int,
    after: int | None = None,
    api_key_id: int | None = None,
    only_project_id: int | None = None,
) -> ImportPage:
    """An organization's imports, newest first, behind the one with this id. One statement.

    api_key_id, only_project_id: as in import_summary.
    """
    imports = _seen(organization_id, api_key_id, only_project_id)
    if after is not None:
        imports = imports.filter(pk__lt=after)
    found = list(imports.order_by("-pk")[: limit + 1])
    return ImportPage(
        imports=tuple(_summary(one, ()) for one in found[:limit]), has_more=len(found) > limit
    )


def _seen(
    organization_id: int, api_key_id: int | None, only_project_id: int | None
) -> QuerySet[Import]:
    imports = Import.objects.of(organization_id)
    if api_key_id is not None:
        imports = imports.filter(api_key_id=api_key_id)
    if only_project_id is not None:
        by_key = Q(api_key__is_limited=True, api_key__project_id=only_project_id)
        imports = imports.filter(Q(project_id=only_project_id) | by_key)
    return imports


def _summary(found: Import, rejections: tuple[RejectedLine, ...]) -> ImportSummary:
    path = _path(found)
    return ImportSummary(
        id=found.pk,
        path=path,
        format=found.format,
        state=found.result_state,
        error_code=found.error_code,
        reason=found.reason,
        received_at=found.received_at,
        finished_at=found.finished_at,
        outcomes={name: getattr(found, name) for name in LINE_COUNTERS},
        change={**Change().as_json(), **found.change},
        rejections=rejections,
        warnings=tuple(_warned(found, path)),
        aggregate=found.options.get("aggregate"),
        assumed_times=found.options.get("assumed_times", 0),
    )


def _path(found: Import) -> str:
    return found.name or found.door


def _warned(found: Import, path: str) -> Iterator[WarnedLines]:
    places = found.options.get("warned_lines", {})
    for code, lines in sorted(found.options.get("warnings", {}).items()):
        where = tuple((_inside(path, inner), line) for inner, line in places.get(code, ()))
        yield WarnedLines(code=code, lines=lines, places=where)


def _inside(path: str, inner: str) -> str:
    return f"{path.rstrip('/')}/{inner}" if inner else path
