"""The doors: programs push usage here, and the Imports page sends files."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.db import InterfaceError, OperationalError, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.csrf import csrf_exempt

from accounting.api.auth import key_for
from accounting.api.problems import ProblemError, problem
from accounting.api.views.base import refuse_others
from accounting.domain.roles import MAY, PUSHING, may
from accounting.models.imports import UNFINISHED_IMPORTS
from accounting.services.tenants import membership_of
from ingest.api.bodies import (
    PARAMETERS,
    body_of,
    choices_of,
    content_encoding,
    expected_length,
    file_name,
    idempotency_key,
    named_project_id,
    reading_of,
    refuse_other_types,
    sender_of,
    waits,
    wanted_format,
)
from ingest.api.cloudevents import TYPES as CLOUDEVENTS
from ingest.api.cloudevents import brings_events, look_for_events
from ingest.api.doors import door
from ingest.api.room import refuse_without_room
from ingest.services.looking import AnyFormat
from ingest.services.reading import read_import
from ingest.services.receive import Receipt, Sender, receive_push, receive_upload
from ingest.services.refusal_words import refusal_told
from ingest.services.results import result_of
from ingest.tasks.bell import ring

PUSH_TYPES = (
    "application/json",
    "application/x-ndjson",
    "application/ndjson",
    "application/jsonl",
    *CLOUDEVENTS,
)
UPLOAD_TYPES = ("application/octet-stream",)
#: A push with ?wait=true is answered after so long even if workers are still at it.
WAIT_S = 25.0


@csrf_exempt
@login_not_required
@door
def events(request: HttpRequest) -> HttpResponse:
    """POST /api/v1/events: usage as JSON or NDJSON, kept before it is answered.

    202 {import_id, state, href}; with ?wait=true 200 and the counts of `ingest --json`.
    """
    key = key_for(request, PUSHING)
    refuse_others(request, (*PARAMETERS, "wait"))
    refuse_other_types(request, PUSH_TYPES)
    is_awaited = waits(request)
    encoding = content_encoding(request)
    expected = expected_length(request, settings.MAX_PUSH_BYTES)
    refuse_without_room(organization_id=key.organization_id, api_key_id=key.pk, size=expected)
    if request.headers.get("X-Test-Connection", "").lower() == "true":
        return _nothing_kept()
    name, wanted = file_name(request), wanted_format(request)
    sender = sender_of(request, key, name=name, wanted_format=wanted)
    receipt = receive_push(
        sender=sender,
        look=look_for_events(request, sender) if brings_events(request) else AnyFormat(sender),
        stream=body_of(request),
        encoding=encoding,
        limit=settings.MAX_PUSH_BYTES,
        expected=expected,
        idempotency_key=idempotency_key(request),
    )
    if receipt.code:
        return problem(receipt.code, receipt.reason, more={"import_id": receipt.import_id})
    if receipt.import_id is None:
        return _nothing_kept()
    if is_awaited:
        return _waited(receipt.import_id)
    transaction.on_commit(ring, robust=True)
    return JsonResponse(_answer(receipt.import_id, receipt.state), status=202)


@door
def upload(request: HttpRequest) -> HttpResponse:
    """POST /imports/upload: one file, raw, from a signed-in person's page.

    201 {import_id, state, href}, or a link to the import where HTML is asked for. A refused file's
    problem says why in the reader's language too.
    """
    organization_id = _organization_to_upload_to(request)
    refuse_others(request, (*PARAMETERS, "mapping", "encoding"))
    refuse_other_types(request, UPLOAD_TYPES)
    expected = expected_length(request, settings.MAX_UPLOAD_BYTES)
    refuse_without_room(organization_id=organization_id, api_key_id=None, size=expected)
    receipt = receive_upload(
        sender=Sender(
            organization_id=organization_id,
            project_id=named_project_id(request, organization_id),
            created_by_id=request.user.pk,
            name=file_name(request),
            wanted_format=wanted_format(request),
            choices=choices_of(request),
            reading=reading_of(request, organization_id),
        ),
        stream=body_of(request),
        limit=settings.MAX_UPLOAD_BYTES,
        expected=expected,
    )
    if receipt.code:
        said = refusal_told(receipt.code, receipt.reason)
        more = {"import_id": receipt.import_id, "href": _page_of(receipt), "said": said}
        return problem(receipt.code, receipt.reason, more=more)
    transaction.on_commit(ring, robust=True)
    answer = {"import_id": receipt.import_id, "state": receipt.state, "href": _page_of(receipt)}
    if request.get_preferred_type(["application/json", "text/html"]) == "text/html":
        link = format_html('<a href="{href}">{import_id}</a>', **answer)
        return HttpResponse(link, status=201, headers={"Location": str(answer["href"])})
    return JsonResponse(answer, status=201)


def _organization_to_upload_to(request: HttpRequest) -> int:
    member = membership_of(request.user) if isinstance(request.user, User) else None
    if member is None:
        raise ProblemError("no_organization", "you belong to no organization here")
    if not may(member.role, "data"):
        allowed = ", ".join(sorted(MAY["data"]))
        raise ProblemError("not_allowed", f"your role is {member.role}; uploading takes {allowed}")
    return member.organization_id


def _nothing_kept() -> HttpResponse:
    reason = "there is no record in it, and nothing was kept: the door is open"
    return JsonResponse({"import_id": None, "state": "empty", "href": None, "reason": reason})


def _waited(import_id: int) -> HttpResponse:
    try:
        source = read_import(import_id, seconds=WAIT_S)
    except (OperationalError, InterfaceError):
        # It is kept, whatever becomes of the database now: to say otherwise would be wrong.
        return JsonResponse(_answer(import_id, "ready"), status=202)
    if source.state in UNFINISHED_IMPORTS:
        transaction.on_commit(ring, robust=True)
        return JsonResponse(_answer(import_id, source.state), status=202)
    return JsonResponse({**_answer(import_id, source.state), **result_of(source).as_json()})


def _answer(import_id: int, state: str) -> dict[str, object]:
    return {"import_id": import_id, "state": state, "href": reverse("api-import", args=[import_id])}


def _page_of(receipt: Receipt) -> str | None:
    return reverse("imports.one", args=[receipt.import_id]) if receipt.import_id else None
