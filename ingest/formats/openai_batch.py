"""The output and error files of OpenAI's Batch API, and of the vendors that copied it."""

import msgspec

from ingest.formats.answers import answer_format
from ingest.formats.base import Convention, Item, Outcome, RejectedError, Sample
from ingest.formats.batches import answered, unanswered
from ingest.formats.body_reading import Reading
from ingest.formats.calls import has_failed, http_status
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, text
from ingest.formats.openai_usage import WATCHED, Error, ErrorBody
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


_ROWS = Decoder(Row, WATCHED)
_FAILED = Decoder(ErrorBody)


def recognise(sample: Sample) -> str:
    """A custom id beside a response with its status, or beside an error."""
    for each in sample.objects:
        response = each.get("response")
        if "custom_id" in each and isinstance(response, dict) and "status_code" in response:
            return "has custom_id and response.status_code"
        if {"custom_id", "error"} <= each.keys() and "response" in each and response is None:
            return "has custom_id and the errors of a batch"
    return "begins like a batch's output" if {"custom_id", "response"} <= sample.keys else ""


def _row(item: Item, reading: Reading) -> Outcome:
    row = _ROWS.decoded(item)
    response = row.response or Response()
    status = http_status(response.status_code, "response.status_code")
    request_id = text(row.id or response.request_id, "id")
    body = bytes(response.body)
    if row.response is not None and not has_failed(status):
        family = family_in(body)
        if family is None:
            raise RejectedError("unknown_body", "response.body is no answer of a known kind")
        return answered(family, body, item, reading, request_id=request_id, http_status=status)
    error = _FAILED.of(body).error if body.startswith(b"{") else row.error
    refused = status is not None and status < _SERVER_ERROR
    return unanswered(
        item,
        reading,
        identity=reading.identity(item, gateway_request_id=request_id),
        provider=reading.options.provider,
        error_type=text(error.name if error else "", "error.code"),
        error_origin="client" if refused else "upstream",
        http_status=status,
    )


FORMAT = answer_format(
    name="openai_batch",
    title="OpenAI batch output",
    body=_row,
    recognise=recognise,
    convention=Convention.INCLUSIVE,
    key="id of the answer; of a request that failed the batch's own id",
    where="the output and error files of a batch; the batch's usage summary is no part of them",
    source="openai-openapi: Batch API",
)
