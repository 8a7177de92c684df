"""One request as a log tells it, and who it belongs to in the books."""

from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import blake2b
from operator import attrgetter

import msgspec

from accounting.domain.money import picos
from accounting.domain.tokens import TokenCounts
from accounting.domain.values import quick

NOTHING_REPORTED = TokenCounts()
#: How much a source said about usage, worst first.
USAGE_STATES = ("missing", "estimated", "partial", "reported")
STATUSES = ("ok", "error", "cancelled", "pending")
PURPOSES = ("usage", "benchmark")
ERROR_ORIGINS = ("gateway", "upstream", "client")
#: How well a start is known, best first.
TIME_QUALITIES = ("exact", "second", "date", "assumed")
#: What settled an event's project, strongest first: a key that may write to no other, the push or
#: import named it, the record did, a rule, the project of the key that sent it, or nothing, so that it
#: is the default one.
PROJECT_BASES = ("limited", "import", "record", "rule", "key", "default")
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
    """Where and when a request happened: as the earliest telling says (accounting.domain.merging).

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
    time_quality: str = "exact"  # of TIME_QUALITIES
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
    return digest_of(use, reported_picos(use))


def reported_picos(use: Use) -> int | None:
    """What the ledger keeps of the reported cost."""
    return None if use.reported_cost is None else picos(use.reported_cost)


def digest_of(use: Use, reported: int | None) -> bytes:
    """The content's digest where its reported cost is known in picos.

    MessagePack writes texts, numbers, truths and nothing with their type and length: no two contents alike.
    """
    updated = use.source_updated_at
    content = (
        _PLAIN(use),
        _COUNTS(use.counts),
        None if updated is None else updated.isoformat(),
        reported,
    )
    try:
        written = _packed(content)
    except (UnicodeEncodeError, OverflowError):  # half a character, more than 64 bits
        written = repr(content).encode()
    return blake2b(written, digest_size=16).digest()


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


_packed = msgspec.msgpack.Encoder().encode
#: The fields that are told in a way of their own.
_APART = {"counts", "source_updated_at", "reported_cost"}
_PLAIN = attrgetter(*(one.name for one in fields(Use) if one.name not in _APART))
_COUNTS = attrgetter(*(one.name for one in fields(TokenCounts)))
