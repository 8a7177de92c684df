"""How a gateway's row becomes a record: the steps that its many logs have in common."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from accounting.domain.models_named import provider_in_name
from accounting.domain.naming import provider_id
from accounting.domain.tokens import TokenCounts
from accounting.domain.usage import NOTHING_REPORTED, Identity, Place, UsageRecord, Use
from ingest.formats.base import Counted, Item, Options, RejectedError
from ingest.formats.fields import Count, count
from ingest.formats.openai_usage import maker_of

_LEAST_FAILURE = 400


def counted(
    item: Item,
    options: Options,
    *,
    identity: Identity,
    use: Use,
    started_at: datetime | None,
    warnings: tuple[str, ...] = (),
    **where: Any,
) -> Counted:
    """One request as an outcome; a time the source does not give is assumed.

    where: the fields of Place that the source knows.
    """
    if not (
        identity.response_id
        or (identity.trace_id and identity.span_id)
        or identity.gateway_request_id
        or identity.fingerprint
    ):
        raise RejectedError("missing_field", "the record has no id", field="id")
    where.setdefault("time_quality", "exact")
    if started_at is None:
        where["time_quality"] = "assumed"
    where["user_id"] = where.get("user_id") or options.user_id
    place = Place(started_at=started_at or options.assumed_time, line=item.line, **where)
    record = UsageRecord(
        identity=identity, use=settled(use), place=place, restamps=started_at is None
    )
    return Counted(line=item.line, records=(record,), warnings=warnings)


def settled(use: Use) -> Use:
    """What a request used and cost by itself.

    One that still runs has only reserved or guessed what it will use. A hit in a gateway's own
    cache may repeat what its first answer cost.
    """
    if use.status == "pending":
        return replace(use, counts=NOTHING_REPORTED, usage_state="missing")
    if use.gateway_cache_hit and use.reported_cost is not None:
        return replace(use, reported_cost=Decimal(0))
    return use


def http_status(value: Count, field: str) -> int | None:
    """An HTTP status; None where there was none (Envoy and others write 0)."""
    found = count(value, field)
    if not found:
        return None
    if not 100 <= found <= 999:
        reason = f"{field} = {found}, expected an HTTP status"
        raise RejectedError("bad_count", reason, field=field, value=found)
    return found


def has_failed(status: int | None) -> bool:
    """Whether an HTTP status says that the request failed."""
    return status is not None and status >= _LEAST_FAILURE


def used(counts: TokenCounts, *, failed: bool) -> TokenCounts:
    """The counts; nothing where a request reports only zeros, which says nothing.

    A stream that never told its usage ends as 0 and 0 in some gateways: unknown, not free.
    """
    nothing = {None, 0} if failed else {0}
    if counts.input_tokens in nothing and counts.output_tokens in nothing:
        return NOTHING_REPORTED
    return counts


def provider_named(model: str, asked: str) -> str:
    """The provider for a log that names none: the import's, else what the model's name says."""
    if asked:
        return provider_id(asked)
    last = model.rpartition("/")[2]
    if model.startswith("publishers/") or "/publishers/" in model:
        return "google"
    if last.startswith("claude"):
        return provider_in_name(model) or "anthropic"
    return provider_in_name(model) or maker_of(model)
