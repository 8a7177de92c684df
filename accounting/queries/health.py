"""Whether the books are complete and fresh."""

from dataclasses import dataclass, fields
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


_SHOWN = tuple(field.name for field in fields(LastImport))


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How fresh the books are. newest_hour: start of the last hour with usage, None before any."""

    last_import: LastImport | None
    unfinished_imports: int
    newest_hour: datetime | None


def books_health(organization_id: int) -> Health:
    """The last import, how many are not read yet, and the newest usage. Three statements."""
    imports = Import.objects.of(organization_id)
    last = imports.order_by("-received_at", "-pk").values(*_SHOWN).first()
    return Health(
        last_import=LastImport(**last) if last else None,
        unfinished_imports=imports.filter(state__in=UNFINISHED_IMPORTS).count(),
        newest_hour=UsageHour.objects.of(organization_id).aggregate(at=Max("hour"))["at"],
    )
