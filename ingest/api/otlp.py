"""The doors for OpenTelemetry: OTLP over HTTP, in protobuf or JSON, answered as its exporters expect.

An exporter sends again after 429 and 503, and drops what it sent after any other refusal.
"""

import logging
from functools import partial, wraps

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import InterfaceError, OperationalError, transaction
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from accounting.api.auth import key_for
from accounting.api.codes import status_of
from accounting.api.problems import ProblemError, problem
from accounting.api.views.base import refuse_others
from accounting.domain.roles import PUSHING
from ingest.api.bodies import (
    body_of,
    content_encoding,
    expected_length,
    idempotency_key,
    refuse_other_types,
    sender_of,
)
from ingest.api.doors import View, door
from ingest.api.otlp_answers import JSON, PROTOBUF, accepted, invalid
from ingest.api.room import refuse_without_room
from ingest.formats.base import UnreadableError
from ingest.services.choices import CHOICES
from ingest.services.failures import named
from ingest.services.otlp import ExportLook, Signal, points_in
from ingest.services.receive import Receipt, receive_push
from ingest.services.streams import Measured, unpacked
from ingest.tasks.bell import ring

TYPES = (PROTOBUF, JSON)
PARAMETERS = ("project", *CHOICES)
NO_METRICS = (
    "metrics are sums without requests and are not kept; the same usage comes with traces or logs"
)
#: Refusals that are not about what is in the body keep their own status; the others are a 400.
_OWN_STATUS = frozenset([408, 409, 413, 503, 507])

logger = logging.getLogger(__name__)


def _unbroken(view: View) -> View:
    """Ask the exporter to come again after an error of ours, which is logged: a 500 is dropped data."""

    @wraps(view)
    def guarded(request: HttpRequest) -> HttpResponse:
        try:
            return view(request)
        except (ProblemError, OperationalError, InterfaceError):
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, the sender has to come again
            logger.error("an export was not kept: %s", named(error))  # noqa: TRY400  no message
            return problem("not_kept", "an error here, which was logged; send it again")

    return guarded


def _export(signal: Signal, request: HttpRequest) -> HttpResponse:
    """Keep one export, then answer it; what will be refused when it is read is told at once."""
    key = key_for(request, PUSHING)
    refuse_others(request, PARAMETERS)
    refuse_other_types(request, TYPES)
    encoding = content_encoding(request)
    expected = expected_length(request, settings.MAX_PUSH_BYTES)
    refuse_without_room(organization_id=key.organization_id, api_key_id=key.pk, size=expected)
    sender = sender_of(request, key, name=f"otlp/v1/{signal}")
    look = ExportLook(signal=signal, is_json=_is_json(request), sender=sender)
    receipt = receive_push(
        sender=sender,
        look=look,
        stream=body_of(request),
        encoding=encoding,
        limit=settings.MAX_PUSH_BYTES,
        expected=expected,
        idempotency_key=idempotency_key(request),
    )
    if receipt.code:
        return _refusal(receipt, is_json=look.is_json)
    if receipt.import_id is not None:
        transaction.on_commit(ring, robust=True)
    reason = f"{look.refused[0].code}: {look.refused[0].reason}" if look.refused else ""
    return accepted(signal, is_json=look.is_json, refused=len(look.refused), reason=reason)


def _no_metrics(request: HttpRequest) -> HttpResponse:
    """Take note of metrics and keep none: exporters that have one address for all send them too.

    A 404 would be an error in the exporter's log every few seconds, a partial success is a notice.
    """
    key_for(request, PUSHING)
    refuse_other_types(request, TYPES)
    encoding = content_encoding(request)
    expected = expected_length(request, settings.MAX_PUSH_BYTES)
    is_json = _is_json(request)
    try:
        measured = Measured(body_of(request), limit=settings.MAX_PUSH_BYTES, expected=expected)
        points = points_in(unpacked(measured, encoding, settings.MAX_PUSH_BYTES), is_json=is_json)
    except UnreadableError as error:
        return _refusal(_not_kept(error), is_json=is_json)
    return accepted("metrics", is_json=is_json, refused=points, reason=NO_METRICS)


def _not_kept(error: UnreadableError) -> Receipt:
    return Receipt(import_id=None, state="refused", code=error.code, reason=error.reason)


def _refusal(receipt: Receipt, *, is_json: bool) -> HttpResponse:
    if status_of(receipt.code) in _OWN_STATUS:
        return problem(receipt.code, receipt.reason)
    return invalid(receipt.code, receipt.reason, is_json=is_json)


def _is_json(request: HttpRequest) -> bool:
    return request.content_type == JSON


def _address(view: View) -> View:
    return csrf_exempt(login_not_required(door(_unbroken(view))))


traces = _address(partial(_export, Signal.TRACES))
logs = _address(partial(_export, Signal.LOGS))
metrics = _address(_no_metrics)
