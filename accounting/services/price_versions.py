"""The number every change of prices takes, one at a time."""

from django.db import connection
from django.db.models import Max

from accounting.models import PriceVersion

#: Any number nobody else locks: 'price' in ASCII.
_LOCK = 0x7072696365


def lock_prices() -> None:
    """Wait for other changes of prices to commit; the lock is held until this one does.

    Must come before anything is read that the change depends on, so that two imports never both
    find a row open.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])


def next_version(
    *, organization_id: int | None, kind: str, user: str = "", reason: str = "", digest: str = ""
) -> PriceVersion:
    """The next version, under the lock that lock_prices took: numbers follow commits."""
    newest = PriceVersion.objects.aggregate(newest=Max("number"))["newest"]
    return PriceVersion.objects.create(
        number=(newest or 0) + 1,
        organization_id=organization_id,
        kind=kind,
        user=user,
        reason=reason,
        digest=digest,
    )
