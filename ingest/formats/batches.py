"""A provider's batch: the answers it gave, and the requests that it gave none."""

from dataclasses import replace

from accounting.domain.naming import provider_id
from accounting.domain.usage import Identity, Use
from ingest.formats.base import Counted, Item, Outcome
from ingest.formats.body_reading import Family, Reading
from ingest.formats.calls import counted


def answered(
    family: Family,
    body: bytes,
    item: Item,
    reading: Reading,
    *,
    request_id: str = "",
    http_status: int | None = None,
) -> Outcome:
    """What an answered request comes to: its answer, billed at the batch's price.

    family, body: the answer inside the item. request_id: what the batch calls it, for an answer
    that has no id of its own.
    """
    told = family.read(replace(item, body=body), reading)
    if not isinstance(told, Counted):
        return told
    return replace(
        told,
        records=tuple(
            replace(
                record,
                identity=replace(record.identity, gateway_request_id=request_id),
                use=replace(record.use, processing="batch", http_status=http_status),
            )
            for record in told.records
        ),
    )


def unanswered(  # noqa: PLR0913  one argument for each thing that a batch tells
    item: Item,
    reading: Reading,
    *,
    identity: Identity,
    provider: str,
    error_type: str,
    error_origin: str,
    http_status: int | None = None,
) -> Outcome:
    """What a request without an answer comes to: an error whose usage nobody reported."""
    use = Use(
        source=reading.source,
        usage_state="missing",
        provider=provider_id(provider),
        request_model=reading.options.model,
        processing="batch",
        status="error",
        http_status=http_status,
        error_type=error_type,
        error_origin=error_origin,
    )
    return counted(item, reading.options, identity=identity, use=use, started_at=None)
