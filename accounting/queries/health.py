"""Whether the books are complete and fresh."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max

from accounting.models import Import, UsageHour
from accounting.models.imports import UNFINISHED_IMPORTS


@dataclass(frozen=True, slots=True, kw_only=True)
class LastImport:
    """The import that came last."""

    id: int
    name: str
    door: str
    state: str
    received_at: datetime
    lines: int
    rejected: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How fresh the books are. newest_hour: start of the last hour with usage, None before any."""

    last_import: LastImport | None
    unfinished_imports: int
    newest_hour: datetime | None


def books_health(organization_id: int) -> Health:
    """The last import, how many are not read yet, and the newest usage. Three statements."""
    imports = Import.objects.of(organization_id)
    last = imports.order_by("-received_at", "-pk").first()
    return Health(
        last_import=_as_value(last) if last else None,
        unfinished_imports=imports.filter(state__in=UNFINISHED_IMPORTS).count(),
        newest_hour=UsageHour.objects.of(organization_id).aggregate(at=Max("hour"))["at"],
    )


def _as_value(found: Import) -> LastImport:
    return LastImport(
        id=found.pk,
        name=found.name,
        door=found.door,
        state=found.state,
        received_at=found.received_at,
        lines=found.lines,
        rejected=found.rejected,
    )
