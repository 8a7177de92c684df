"""How two tellings of one request become one record, whatever the order in which they arrive."""

from accounting.domain.tokens import COUNT_NAMES
from accounting.domain.usage import (
    PROJECT_BASES,
    TIME_QUALITIES,
    Identity,
    Place,
    UsageRecord,
    Use,
    completeness,
    content_digest,
)


def merge_uses(one: Use, two: Use) -> Use:
    """The more complete of two tellings; equally complete ones are settled by their digests.

    Commutative, associative and idempotent: the order in which logs arrive never shows.
    """
    return max(one, two, key=lambda use: (completeness(use), content_digest(use)))


def merge_places(one: Place, two: Place) -> Place:
    """The earlier of two tellings; of one moment, that of the main chain; of both, what either knows.

    Commutative, associative and idempotent, as an order is whose equals are joined field by field: what
    is known is never replaced by what is not, and of two known values the lesser stands.
    """
    if one.started_at != two.started_at:
        return one if one.started_at < two.started_at else two
    if one.is_sidechain != two.is_sidechain:
        return two if one.is_sidechain else one
    return _joined(one, two)


def merge_identities(one: Identity, two: Identity) -> Identity:
    """Every id that either telling knows; of two different ones the greater."""
    if one == two:
        return one
    return Identity(
        response_id=max(one.response_id, two.response_id),
        trace_id=max(one.trace_id, two.trace_id),
        span_id=max(one.span_id, two.span_id),
        gateway_request_id=max(one.gateway_request_id, two.gateway_request_id),
        fingerprint=max(one.fingerprint, two.fingerprint),
        part=max(one.part, two.part),
    )


def merge(one: UsageRecord, two: UsageRecord) -> UsageRecord:
    """Two tellings of the same request part as one record."""
    return UsageRecord(
        identity=merge_identities(one.identity, two.identity),
        use=merge_uses(one.use, two.use),
        place=merge_places(one.place, two.place),
        restamps=one.restamps or two.restamps,
    )


def conflicts(one: Use, two: Use) -> bool:
    """Whether two equally complete tellings disagree about what was used or how it ended.

    One source never tells the same request differently. Logs of one call by several tools differ in
    what else they know; that alone is no conflict.
    """
    if completeness(one) != completeness(two):
        return False
    if one.source == two.source:
        return content_digest(one) != content_digest(two)
    pairs = ((getattr(one.counts, name), getattr(two.counts, name)) for name in COUNT_NAMES)
    return one.status != two.status or any(
        a != b for a, b in pairs if a is not None and b is not None
    )


def _joined(one: Place, two: Place) -> Place:
    """Two places of one moment and one kind of chain."""
    project_id, cost_center, project_basis = _project(one, two)
    session_id, turn_id = _session(one, two)
    stands = min(one, two, key=_standing)
    return Place(
        started_at=one.started_at,
        is_sidechain=one.is_sidechain,
        session_id=session_id,
        project_id=project_id,
        cost_center=cost_center,
        api_key_id=_known(one.api_key_id, two.api_key_id),
        turn_id=turn_id,
        agent=_told(one.agent, two.agent),
        user_id=_told(one.user_id, two.user_id),
        team=_told(one.team, two.team),
        environment=_told(one.environment, two.environment),
        api_key_name=_told(one.api_key_name, two.api_key_name),
        working_folder=_told(one.working_folder, two.working_folder),
        tags=_tags(one, two),
        run_id=_known(one.run_id, two.run_id),
        time_quality=min(one.time_quality, two.time_quality, key=TIME_QUALITIES.index),
        project_basis=project_basis,
        import_id=stands.import_id,
        path=stands.path,
        line=stands.line,
        byte_offset=stands.byte_offset,
    )


def _project(one: Place, two: Place) -> tuple[int | None, str, str]:
    """The project that was settled by the strongest word, its cost centre, and that word."""
    first, second = _attribution(one), _attribution(two)
    if first == second:
        return one.project_id, _told(one.cost_center, two.cost_center), one.project_basis
    chosen = one if first < second else two
    return chosen.project_id, chosen.cost_center, chosen.project_basis


def _session(one: Place, two: Place) -> tuple[str, str]:
    """The session and its turn: a turn of one session says nothing in another."""
    if one.session_id == two.session_id:
        return one.session_id, _told(one.turn_id, two.turn_id)
    session_id = _told(one.session_id, two.session_id)
    return session_id, (one if session_id == one.session_id else two).turn_id


def _tags(one: Place, two: Place) -> tuple[tuple[str, str], ...]:
    """The tags that either knows."""
    if one.tags == two.tags:
        return one.tags
    found = dict(one.tags)
    for name, value in two.tags:
        found[name] = _told(found.get(name, ""), value)
    return tuple(sorted(found.items()))


def _told(one: str, two: str) -> str:
    return min(one, two) if one and two else one or two


def _known(one: int | None, two: int | None) -> int | None:
    known = [each for each in (one, two) if each is not None]
    return min(known, default=None)


def _attribution(place: Place) -> tuple[int, bool, int]:
    basis, project_id = place.project_basis, place.project_id
    rank = PROJECT_BASES.index(basis) if basis else len(PROJECT_BASES)
    return rank, project_id is None, project_id or 0


def _standing(place: Place) -> tuple[int, str, int, int]:
    offset = -1 if place.byte_offset is None else place.byte_offset
    return place.import_id, place.path, place.line, offset
