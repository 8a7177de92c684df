"""The output and error files of OpenAI's Batch API, and of the vendors that copied it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.usage import Identity, Use
from ingest.formats.base import (
    Convention,
    Counted,
    Format,
    Item,
    Options,
    Outcome,
    RejectedError,
    Sample,
    Scope,
    State,
    Unit,
)
from ingest.formats.body_reading import Reading, batched, reading_of
from ingest.formats.calls import counted, has_failed, http_status
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, outcome_of, text
from ingest.formats.occurrences import Seen
from ingest.formats.openai_usage import WATCHED, Error
from ingest.formats.provider_bodies import family_in

#: What the caller did wrong lies below; from 500 on the provider failed.
_SERVER_ERROR = 500


class Response(msgspec.Struct):
    """What the request came to."""

    status_code: Count = None
    request_id: str | None = None
    body: Exact = NOTHING


class Row(msgspec.Struct):
    """One request of the batch; it has a response, or an error where it was never made."""

    id: str | None = None
    custom_id: str | None = None
    response: Response | None = None
    error: Error | None = None


class Failed(msgspec.Struct):
    """The body of a request that failed."""

    error: Error | None = None


_ROWS = Decoder(Row, WATCHED)
_FAILED = Decoder(Failed)


def recognise(sample: Sample) -> str:
    """A custom id beside a response with its status, or beside an error."""
    for each in sample.objects:
        response = each.get("response")
        if "custom_id" in each and isinstance(response, dict) and "status_code" in response:
            return "has custom_id and response.status_code"
        if {"custom_id", "error"} <= each.keys() and "response" in each and response is None:
            return "has custom_id and the errors of a batch"
    return "begins like a batch's output" if {"custom_id", "response"} <= sample.keys else ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each request of the batch."""
    reading = reading_of(FORMAT.name, options, state)
    for item in items:
        yield outcome_of(item, partial(_row, reading))


def _row(reading: Reading, item: Item) -> Outcome:
    row = _ROWS.decoded(item)
    response = row.response or Response()
    status = http_status(response.status_code, "response.status_code")
    request_id = text(row.id or response.request_id, "id")
    body = bytes(response.body)
    if row.response is None or has_failed(status):
        return _failure(reading, item, row, status)
    family = family_in(body)
    if family is None:
        raise RejectedError("unknown_body", "response.body is no answer of a known kind")
    told = family.read(replace(item, body=body), reading)
    if not isinstance(told, Counted):
        return told
    return batched(told, request_id=request_id, http_status=status)


def _failure(reading: Reading, item: Item, row: Row, status: int | None) -> Outcome:
    body = bytes(row.response.body) if row.response else b""
    error = _FAILED.of(body).error if body.startswith(b"{") else row.error
    request_id = text(row.id or (row.response and row.response.request_id), "id")
    refused = status is not None and status < _SERVER_ERROR
    return counted(
        item,
        reading.options,
        identity=Identity(
            gateway_request_id=request_id,
            fingerprint=b"" if request_id else reading.fingerprint(item),
        ),
        use=Use(
            source=reading.source,
            usage_state="missing",
            provider=provider_id(reading.options.provider),
            request_model=reading.options.model,
            processing="batch",
            status="error",
            http_status=status,
            error_type=text(error.name if error else "", "error.code"),
            error_origin="client" if refused else "upstream",
        ),
        started_at=None,
    )


FORMAT = Format(
    name="openai_batch",
    title="OpenAI batch output",
    unit=Unit.JSON,
    scope=Scope.FILE,
    convention=Convention.INCLUSIVE,
    key="id of the answer; of a request that failed the batch's own id",
    where="the output and error files of a batch; the batch's usage summary is no part of them",
    source="openai-openapi: Batch API",
    recognise=recognise,
    read=read,
    new_state=Seen,
)
