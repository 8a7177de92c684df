"""Usage records for tests, with everything set that posting needs."""

from datetime import UTC, datetime

from accounting.domain.tokens import TokenCounts
from accounting.domain.usage import Identity, Place, UsageRecord, Use

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)


def usage_record(
    response_id="r1",
    *,
    at=NOON,
    part=0,
    project_id=1,
    restamps=False,
    session_id="",
    place=None,
    **use,
):
    """One record; keywords that TokenCounts knows are counts, the others belong to Use."""
    counts = {name: use.pop(name) for name in list(use) if name in TokenCounts.__slots__}
    use.setdefault("provider", "testing")
    use.setdefault("response_model", "opal")
    return UsageRecord(
        identity=Identity(response_id=response_id, part=part),
        use=Use(counts=TokenCounts(**counts), **use),
        place=Place(started_at=at, project_id=project_id, session_id=session_id, **(place or {})),
        restamps=restamps,
    )
