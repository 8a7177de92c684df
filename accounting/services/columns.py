"""The columns of the ledger: what a rated record writes into each, and how a row becomes one again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from accounting.domain.money import from_picos, picos
from accounting.domain.periods import month_of
from accounting.domain.tokens import COUNT_NAMES, TokenCounts
from accounting.domain.usage import Identity, Place, UsageRecord, Use, digest_of, reported_picos
from accounting.domain.values import quick


class Charge(NamedTuple):
    """What the books say a record costs. Amounts are picos; None is unknown.

    model: its canonical name; cost_base: in the organization's currency; credits: in its credit kind.
    filled_in: which of them follow later prices, as in UsageEvent; nothing where a record has just
    been rated. A tuple, as Rating is one, because two are made for every event that is repriced.
    """

    model: str
    currency: str
    state: str
    cost: int | None
    cost_input: int | None
    cost_cache_read: int | None
    cost_cache_write: int | None
    cost_output: int | None
    cost_other: int | None
    cost_base: int | None
    credits: int | None
    unpriced_tokens: int
    price_version: int
    filled_in: str = ""


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Booked:
    """A record under its key, with its charge: one row of the ledger to be.

    old_month: where the row lies that this one replaces; None for its own month.
    """

    organization_id: int
    key: bytes
    record: UsageRecord
    charge: Charge
    wide: bool
    old_month: date | None = None

    @property
    def month(self) -> date:
        """The partition the row lies in."""
        return month_of(self.record.place.started_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column and its type while staged."""

    name: str
    stage_type: str

    @property
    def is_money(self) -> bool:
        """Whether it is staged as whole picos and turned into numeric on the way in."""
        return self.stage_type == "money"


def _of(stage_type: str, *names: str) -> tuple[Column, ...]:
    return tuple(Column(name=name, stage_type=stage_type) for name in names)


_USE_TEXTS = (
    "source", "provider", "request_model", "response_model", "operation", "service_tier", "processing",
    "speed", "region", "route", "purpose", "status", "error_type", "error_origin",
    "finish_reason", "usage_state", "reported_currency",
)  # fmt: skip
_USE_FLAGS = ("is_stream", "gateway_cache_hit", "billable")
_USE_TIMES = ("duration_ms", "ttft_ms", "tpot_ms", "queue_ms", "prefill_ms")
_PLACE_TEXTS = (
    "cost_center", "session_id", "turn_id", "agent", "user_id", "team", "environment",
    "api_key_name", "working_folder", "time_quality", "path", "project_basis",
)  # fmt: skip
_PLACE_NUMBERS = ("project_id", "api_key_id", "run_id", "import_id", "line", "byte_offset")
_IDENTITY_TEXTS = ("response_id", "trace_id", "span_id", "gateway_request_id")
_CHARGE_MONEY = (
    "cost", "cost_input", "cost_cache_read", "cost_cache_write", "cost_output", "cost_other",
    "cost_base", "credits",
)  # fmt: skip

_USE = (
    *_of("text", *_USE_TEXTS),
    *_of("boolean", *_USE_FLAGS),
    *_of("double precision", *_USE_TIMES),
    *_of("smallint", "http_status"),
    *_of("bigint", "max_output_tokens"),
    *_of("timestamptz", "source_updated_at"),
)
_PLACE = (
    *_of("text", *_PLACE_TEXTS),
    *_of("bigint", *_PLACE_NUMBERS),
    *_of("boolean", "is_sidechain"),
)
_IDENTITY = (*_of("text", *_IDENTITY_TEXTS), *_of("smallint", "part"))
#: In the order of Charge.
_CHARGE = (
    *_of("text", "model", "currency", "cost_state"),
    *_of("money", *_CHARGE_MONEY),
    *_of("bigint", "unpriced_tokens", "price_version"),
    *_of("text", "filled_in"),
)
COLUMNS: tuple[Column, ...] = (
    *_of("bigint", "organization_id"),
    *_of("bytea", "dedupe_key"),
    *_of("date", "month"),
    *_of("timestamptz", "occurred_at"),
    *_IDENTITY,
    *_PLACE,
    *_of("jsonb", "tags"),
    *_USE,
    *_of("bytea", "content_digest"),
    *_of("bigint", *COUNT_NAMES),
    *_of("jsonb", "other_units"),
    *_of("money", "reported_cost"),
    *_CHARGE,
)
NAMES = tuple(column.name for column in COLUMNS)

_IDENTITY_OF, _PLACE_OF, _USE_OF = (
    attrgetter(*(column.name for column in part)) for part in (_IDENTITY, _PLACE, _USE)
)
_COUNTS_OF = attrgetter(*COUNT_NAMES)


def row(booked: Booked) -> tuple[Any, ...]:
    """The booked record as a row to stage: COLUMNS in their order, its width, its old month."""
    record = booked.record
    use, place, month = record.use, record.place, booked.month
    reported = reported_picos(use)
    return (
        booked.organization_id,
        booked.key,
        month,
        place.started_at,
        *_IDENTITY_OF(record.identity),
        *_PLACE_OF(place),
        _json(place.tags),
        *_USE_OF(use),
        digest_of(use, reported),
        *_COUNTS_OF(use.counts),
        _json(use.counts.other_units),
        reported,
        *booked.charge,
        booked.wide,
        booked.old_month or month,
    )


def record_of(values: Mapping[str, Any]) -> UsageRecord:
    """The record that a row of the ledger holds; its fingerprint is not kept."""
    counts = TokenCounts(
        **{name: values[name] for name in COUNT_NAMES},
        other_units=tuple(sorted(json.loads(values["other_units"]).items())),
    )
    use = Use(
        **{name: values[name] for name in (*_USE_TEXTS, *_USE_FLAGS, *_USE_TIMES)},
        counts=counts,
        http_status=values["http_status"],
        max_output_tokens=values["max_output_tokens"],
        source_updated_at=_utc(values["source_updated_at"]),
        reported_cost=_exact(values["reported_cost"]),
    )
    place = Place(
        **{name: values[name] for name in _PLACE_TEXTS},
        started_at=values["occurred_at"].astimezone(UTC),
        is_sidechain=values["is_sidechain"],
        project_id=values["project_id"],
        api_key_id=values["api_key_id"],
        run_id=values["run_id"],
        tags=tuple(sorted(json.loads(values["tags"]).items())),
        import_id=values["import_id"],
        line=values["line"],
        byte_offset=values["byte_offset"],
    )
    identity = Identity(**{name: values[name] for name in _IDENTITY_TEXTS}, part=values["part"])
    return UsageRecord(identity=identity, use=use, place=place)


def charge_of(values: Mapping[str, Any]) -> Charge:
    """The charge that a row of the ledger holds."""
    money = {name: None if values[name] is None else picos(values[name]) for name in _CHARGE_MONEY}
    return Charge(
        state=values["cost_state"],
        currency=values["currency"],
        unpriced_tokens=values["unpriced_tokens"],
        price_version=values["price_version"],
        model=values["model"],
        filled_in=values["filled_in"],
        **money,
    )


@lru_cache(maxsize=20_000)
def _json(pairs: tuple[tuple[str, Any], ...]) -> str:
    """An object's JSON; many records say the same."""
    return json.dumps(dict(pairs))


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC)


def _exact(value: Decimal | None) -> Decimal | None:
    return None if value is None else from_picos(picos(value))
