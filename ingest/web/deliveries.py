"""What programs sent lately, and whether what somebody waits for has come."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import QuerySet

from accounting.models import ApiKey, Import
from accounting.models.imports import UNFINISHED_IMPORTS
from ingest.web.progress import Progress, progress_of

SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One push. lag: from its arrival to its end, None while it is read."""

    source: Import
    progress: Progress
    lag: timedelta | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What is waited for: anything of one key, or one import, or the first delivery of all.

    arrived: what came; used: the key whose use is known though nothing of it was kept. Whoever waits
    for a key goes on waiting after an import that came without it, as a test event does.
    """

    arrived: Delivery | None
    used: ApiKey | None
    is_over: bool


def deliveries(organization_id: int) -> list[Delivery]:
    """The last pushes, newest first. One statement, and one for each that is still being read."""
    found = _pushes(organization_id).select_related("api_key").order_by("-pk")
    return [_delivery(source) for source in found[:SHOWN]]


def watch(organization_id: int, *, key_id: int = 0, import_id: int = 0) -> Watch:
    """Whether a key's newest delivery, else an import, or with neither the newest of all has come."""
    pushes = _pushes(organization_id).select_related("api_key").order_by("-pk")
    key = ApiKey.objects.of(organization_id).filter(pk=key_id).first() if key_id else None
    newest = pushes.filter(api_key_id=key_id).first() if key_id else None
    if newest is None and import_id:
        newest = pushes.filter(pk=import_id).first()
    elif newest is None and not key_id:
        newest = pushes.first()
    arrived = None if newest is None else _delivery(newest)
    is_it = newest is not None and (key is None or newest.api_key_id == key.pk)
    return Watch(
        arrived=arrived,
        used=key if key is not None and key.last_used_at and arrived is None else None,
        is_over=arrived is not None and arrived.progress.is_over and is_it,
    )


def _pushes(organization_id: int) -> QuerySet[Import]:
    return Import.objects.of(organization_id).filter(door="push")


def _delivery(source: Import) -> Delivery:
    is_read = source.state not in UNFINISHED_IMPORTS and source.finished_at is not None
    return Delivery(
        source=source,
        progress=progress_of(source),
        lag=source.finished_at - source.received_at if is_read and source.finished_at else None,
    )
