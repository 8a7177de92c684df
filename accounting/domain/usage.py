"""One request as a log tells it, who it belongs to in the books, and how two tellings become one."""

from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import blake2b
from operator import attrgetter

from accounting.domain.money import picos
from accounting.domain.tokens import COUNT_NAMES, TokenCounts
from accounting.domain.values import quick

NOTHING_REPORTED = TokenCounts()
#: How much a source said about usage, worst first.
USAGE_STATES = ("missing", "estimated", "partial", "reported")
STATUSES = ("ok", "error", "cancelled", "pending")
PURPOSES = ("usage", "benchmark")
ERROR_ORIGINS = ("gateway", "upstream", "client")
_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What makes a record the same request as another; the first part that is set decides.

    response_id: the provider's own, as it is, so that gateway, provider and agent logs of one call
    meet. fingerprint: a format's own recipe where there is no id at all.
    """

    response_id: str = ""
    trace_id: str = ""
    span_id: str = ""
    gateway_request_id: str = ""
    fingerprint: bytes = b""
    part: int = 0


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What was used and how it ended: taken whole from the most complete telling."""

    counts: TokenCounts = NOTHING_REPORTED
    usage_state: str = "reported"
    source_updated_at: datetime | None = None
    source: str = ""
    provider: str = ""
    request_model: str = ""
    response_model: str = ""
    operation: str = "chat"
    service_tier: str = ""
    processing: str = ""  # 'batch' or ''
    speed: str = ""
    region: str = ""
    route: str = ""
    purpose: str = "usage"
    status: str = "ok"
    http_status: int | None = None
    error_type: str = ""
    error_origin: str = ""
    finish_reason: str = ""
    is_stream: bool | None = None
    gateway_cache_hit: bool = False
    billable: bool = True
    max_output_tokens: int | None = None
    duration_ms: float | None = None
    ttft_ms: float | None = None
    tpot_ms: float | None = None
    queue_ms: float | None = None
    prefill_ms: float | None = None
    reported_cost: Decimal | None = None
    reported_currency: str = ""

    @property
    def model(self) -> str:
        """The model that answered, else the one that was asked for, as the source wrote it."""
        return self.response_model or self.request_model


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where and when a request happened: taken whole from the earliest telling.

    project, api_key: ids of the books, settled when the record was read; project_basis says by what
    (see accounting.domain.attribution). import_id, path (inside an import of many files), line and
    byte_offset say where the telling stands. None of the last five makes two tellings different.
    """

    started_at: datetime
    is_sidechain: bool = False
    session_id: str = ""
    project_id: int | None = None
    cost_center: str = ""
    api_key_id: int | None = None
    turn_id: str = ""
    agent: str = ""
    user_id: str = ""
    team: str = ""
    environment: str = ""
    api_key_name: str = ""
    working_folder: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    run_id: int | None = None
    time_quality: str = "exact"  # exact, second, date, assumed
    project_basis: str = field(default="", compare=False)
    import_id: int = field(default=0, compare=False)
    path: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)
    byte_offset: int | None = field(default=None, compare=False)

    def settled(  # noqa: PLR0913  what the books add to a place
        self,
        *,
        project_id: int | None,
        project_basis: str,
        api_key_id: int | None,
        run_id: int | None,
        import_id: int,
        path: str,
        line: int,
        byte_offset: int | None,
    ) -> "Place":
        """The same place with its owners in the books and where its telling stands.

        Field by field, since every record that is read passes here: `replace` takes six times as long.
        """
        return Place(
            started_at=self.started_at,
            is_sidechain=self.is_sidechain,
            session_id=self.session_id,
            project_id=project_id,
            cost_center=self.cost_center,
            api_key_id=api_key_id,
            turn_id=self.turn_id,
            agent=self.agent,
            user_id=self.user_id,
            team=self.team,
            environment=self.environment,
            api_key_name=self.api_key_name,
            working_folder=self.working_folder,
            tags=self.tags,
            run_id=run_id,
            time_quality=self.time_quality,
            project_basis=project_basis,
            import_id=import_id,
            path=path,
            line=line,
            byte_offset=byte_offset,
        )


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class UsageRecord:
    """One priced part of one request. part 0 is the request itself and the only one counted."""

    identity: Identity
    use: Use
    place: Place
    #: The same request may come back with another time (copies re-stamped, or a time we assumed).
    restamps: bool = False

    @property
    def is_request(self) -> bool:
        """Whether this part counts as a request that did not fail and is not still running."""
        return self.identity.part == 0 and self.use.status in {"ok", "cancelled"}


def content_digest(use: Use) -> bytes:
    """16 bytes over exactly the fields of Use: equal digests mean the same content."""
    updated, cost = use.source_updated_at, use.reported_cost
    texts = [*map(repr, _PLAIN(use))]
    texts.insert(_PLACES["counts"], "\x1e".join(map(repr, _COUNTS(use.counts))))
    texts.insert(_PLACES["source_updated_at"], "None" if updated is None else updated.isoformat())
    # What the ledger keeps of it.
    texts.insert(_PLACES["reported_cost"], "None" if cost is None else str(picos(cost)))
    return blake2b("\x1f".join(texts).encode(), digest_size=16).digest()


def completeness(use: Use) -> tuple[bool, int, int, bool, datetime]:
    """How complete a telling is; compared before the digest decides.

    A request that has ended is told more completely than one that was still running. A telling that
    knows how the answer ended is more complete than one that does not: agents write
    the same message several times and only the last line carries its finish reason.
    """
    updated = use.source_updated_at
    return (
        use.status != "pending",
        USAGE_STATES.index(use.usage_state),
        -1 if use.counts.output_tokens is None else use.counts.output_tokens,
        bool(use.finish_reason),
        updated or _EARLIEST,
    )


def merge_uses(one: Use, two: Use) -> Use:
    """The more complete of two tellings; equally complete ones are settled by their digests.

    Commutative, associative and idempotent: the order in which logs arrive never shows.
    """
    return max(one, two, key=lambda use: (completeness(use), content_digest(use)))


def merge_places(one: Place, two: Place) -> Place:
    """The earlier of two tellings; ties go to the main chain, then by session, project, key."""
    return min(one, two, key=_place_order)


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


def _place_order(place: Place) -> tuple[object, ...]:
    return (
        place.started_at,
        place.is_sidechain,
        place.session_id,
        -1 if place.project_id is None else place.project_id,
        -1 if place.api_key_id is None else place.api_key_id,
        place.cost_center,
        place.turn_id,
        place.agent,
        place.user_id,
        place.team,
        place.environment,
        place.api_key_name,
        place.working_folder,
        place.tags,
        -1 if place.run_id is None else place.run_id,
        place.time_quality,
        place.project_basis,
        place.import_id,
        place.path,
        place.line,
        -1 if place.byte_offset is None else place.byte_offset,
    )


#: The fields that are told in a way of their own, in their order, with their places.
_PLACES = {
    one.name: place
    for place, one in enumerate(fields(Use))
    if one.name in {"counts", "source_updated_at", "reported_cost"}
}
_PLAIN = attrgetter(*(one.name for one in fields(Use) if one.name not in _PLACES))
_COUNTS = attrgetter(*(one.name for one in fields(TokenCounts)))
