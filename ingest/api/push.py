"""The doors: programs push usage here, and the Imports page sends files."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import InterfaceError, OperationalError, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.csrf import csrf_exempt

from accounting.models import ApiKey, Membership
from accounting.models.imports import UNFINISHED_IMPORTS
from accounting.services.tenants import key_of
from ingest.api.bodies import (
    body_of,
    choices_of,
    content_encoding,
    drain,
    expected_length,
    file_name,
    named_project_id,
    reading_of,
    refuse_other_types,
    wanted_format,
)
from ingest.api.problems import ProblemError, problem, refusal, unavailable
from ingest.services.reading import read_import
from ingest.services.receive import Receipt, Sender, receive_push, receive_upload
from ingest.services.results import result_of
from ingest.tasks.bell import ring

PUSH_TYPES = (
    "application/json",
    "application/x-ndjson",
    "application/ndjson",
    "application/jsonl",
)
UPLOAD_TYPES = ("application/octet-stream",)
UPLOADERS = ("owner", "analyst", "finance")
SCOPE = "ingest"
#: A push with ?wait=true is answered after so long even if workers are still at it.
WAIT_S = 25.0
_KEY_LIMIT = 200

type View = Callable[[HttpRequest], HttpResponse]


def door(view: View) -> View:
    """Answer POST alone; refusals are problems, and a database that is away is 503, never 500."""

    @wraps(view)
    def guarded(request: HttpRequest) -> HttpResponse:
        if request.method != "POST":
            detail = f"{request.method} is not answered here, only POST"
            return problem(405, "method_not_allowed", detail, headers={"Allow": "POST"})
        try:
            return view(request)
        except ProblemError as error:
            drain(body_of(request))
            return error.response()
        except (OperationalError, InterfaceError):
            return unavailable()

    return guarded


@csrf_exempt
@login_not_required
@door
def events(request: HttpRequest) -> HttpResponse:
    """POST /api/v1/events: usage as JSON or NDJSON, kept before it is answered.

    202 {import_id, state, href}; with ?wait=true 200 and the counts of `ingest --json`.
    """
    key = _key_that_may_push(request)
    refuse_other_types(request, PUSH_TYPES)
    encoding = content_encoding(request)
    expected = expected_length(request, settings.MAX_PUSH_BYTES)
    if request.headers.get("X-Test-Connection", "").lower() == "true":
        return JsonResponse({"import_id": None, "state": "empty", "href": None})
    receipt = receive_push(
        sender=Sender(
            organization_id=key.organization_id,
            project_id=named_project_id(request, key.organization_id),
            api_key_id=key.pk,
            name=file_name(request),
            wanted_format=wanted_format(request),
            choices=choices_of(request),
        ),
        stream=body_of(request),
        encoding=encoding,
        limit=settings.MAX_PUSH_BYTES,
        expected=expected,
        idempotency_key=_idempotency_key(request),
    )
    if receipt.code:
        return _refused(request, receipt)
    if receipt.import_id is None:
        return JsonResponse({"import_id": None, "state": receipt.state, "href": None})
    if request.GET.get("wait", "").lower() in {"true", "1"}:
        return _waited(receipt.import_id)
    transaction.on_commit(ring, robust=True)
    return JsonResponse(_answer(receipt.import_id, receipt.state), status=202)


@door
def upload(request: HttpRequest) -> HttpResponse:
    """POST /imports/upload: one file, raw, from a signed-in person's page.

    201 {import_id, state, href}, or a link to the import where HTML is asked for.
    """
    organization_id = _organization_to_upload_to(request)
    refuse_other_types(request, UPLOAD_TYPES)
    expected = expected_length(request, settings.MAX_UPLOAD_BYTES)
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
        return _refused(request, receipt, href=_page_of(receipt))
    transaction.on_commit(ring, robust=True)
    href = _page_of(receipt)
    if request.get_preferred_type(["application/json", "text/html"]) == "text/html":
        link = format_html('<a href="{}">{}</a>', href, receipt.import_id)
        return HttpResponse(link, status=201, headers={"Location": href})
    answer = {"import_id": receipt.import_id, "state": receipt.state, "href": href}
    return JsonResponse(answer, status=201)


def _key_that_may_push(request: HttpRequest) -> ApiKey:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    text = token.strip() if scheme.lower() == "bearer" else request.headers.get("X-Api-Key", "")
    key = key_of(text) if text else None
    if key is None:
        detail = "send a valid key as 'Authorization: Bearer …' or 'X-Api-Key: …'"
        raise ProblemError(401, "unauthenticated", detail, **{"WWW-Authenticate": "Bearer"})
    if SCOPE not in key.scopes:
        raise ProblemError(403, "missing_scope", f"this key lacks the scope {SCOPE}")
    return key


def _organization_to_upload_to(request: HttpRequest) -> int:
    person_id = request.user.pk
    members = Membership.objects.order_by("pk")
    member = members.filter(user_id=person_id).first() if person_id is not None else None
    if member is None or member.role not in UPLOADERS:
        raise ProblemError(403, "not_allowed", f"uploading takes one of {', '.join(UPLOADERS)}")
    return member.organization_id


def _idempotency_key(request: HttpRequest) -> str:
    key = request.headers.get("Idempotency-Key", "").strip()
    if len(key) > _KEY_LIMIT:
        detail = f"Idempotency-Key has {len(key)} characters, at most {_KEY_LIMIT} are taken"
        raise ProblemError(400, "bad_idempotency_key", detail)
    return key


def _waited(import_id: int) -> HttpResponse:
    source = read_import(import_id, seconds=WAIT_S)
    if source.state in UNFINISHED_IMPORTS:
        transaction.on_commit(ring, robust=True)
        return JsonResponse(_answer(import_id, source.state), status=202)
    return JsonResponse({**_answer(import_id, source.state), **result_of(source).as_json()})


def _answer(import_id: int, state: str) -> dict[str, object]:
    return {"import_id": import_id, "state": state, "href": reverse("api-import", args=[import_id])}


def _page_of(receipt: Receipt) -> str:
    return reverse("imports.one", args=[receipt.import_id])


def _refused(request: HttpRequest, receipt: Receipt, **more: object) -> HttpResponse:
    drain(body_of(request))
    return refusal(receipt.code, receipt.reason, import_id=receipt.import_id, **more)
