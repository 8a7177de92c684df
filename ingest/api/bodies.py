"""A request's body as a stream, and what its headers and query say about it."""

from typing import BinaryIO, cast
from urllib.parse import unquote

from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest

from accounting.api.problems import ProblemError
from accounting.models import ApiKey, Project
from ingest.formats import by_name
from ingest.formats.base import UnreadableError
from ingest.formats.compression import Readable
from ingest.services.booking import readable
from ingest.services.choices import CHOICES, BadChoiceError, Choices, choices_from
from ingest.services.mappings import saved_mapping
from ingest.services.receive import Sender
from ingest.services.tables import ENCODINGS as TEXT_ENCODINGS
from ingest.services.tables import Reading

ENCODINGS = ("gzip", "zstd")
PARAMETERS = ("project", "format", "name", *CHOICES)
_NAME_LIMIT = 255
_KEY_LIMIT = 200
_FLAGS = {"": False, "false": False, "0": False, "true": True, "1": True}


def body_of(request: HttpRequest) -> Readable:
    """The body, unread. Django gives a body of unknown length as empty; this does not."""
    if is_chunked(request) and isinstance(request, WSGIRequest):
        return cast(BinaryIO, request.environ["wsgi.input"])
    return cast(BinaryIO, request)


def is_chunked(request: HttpRequest) -> bool:
    """Whether the body comes in chunks, its length unknown."""
    return "chunked" in request.headers.get("Transfer-Encoding", "").lower()


def sender_of(request: HttpRequest, key: ApiKey, *, name: str, wanted_format: str = "") -> Sender:
    """Who pushes, and what the parameters say beside it; ProblemError 400 for one that is wrong.

    And 403 where a key that is limited to its project names another.
    """
    return Sender(
        organization_id=key.organization_id,
        project_id=_project_charged(request, key),
        api_key_id=key.pk,
        name=name,
        wanted_format=wanted_format,
        choices=choices_of(request),
    )


def expected_length(request: HttpRequest, limit: int) -> int | None:
    """The announced length, None of a chunked body; ProblemError 413 where it is over the limit."""
    length = _announced_length(request)
    if length is not None and length > limit:
        detail = f"{length:,} bytes are announced, at most {limit:,} are taken"
        raise ProblemError("too_large", detail)
    return length


def content_encoding(request: HttpRequest) -> str:
    """gzip, zstd or ''; ProblemError 415 for any other."""
    encoding = request.headers.get("Content-Encoding", "").strip().lower()
    if encoding in {"", "identity"}:
        return ""
    if encoding not in ENCODINGS:
        detail = f"Content-Encoding {encoding[:40]!r}; these are read: {', '.join(ENCODINGS)}"
        raise ProblemError("unsupported_encoding", detail)
    return encoding


def refuse_other_types(request: HttpRequest, types: tuple[str, ...]) -> None:
    """ProblemError 415 unless the content type is one of these; an empty body needs none."""
    is_empty = not request.content_type and _announced_length(request) == 0
    if request.content_type not in types and not is_empty:
        given = request.content_type or "none"
        detail = f"Content-Type is {given[:80]}; these are read: {', '.join(types)}"
        raise ProblemError("unsupported_media_type", detail, Accept=", ".join(types))


def named_project_id(request: HttpRequest, organization_id: int) -> int | None:
    """The project that ?project= names; ProblemError 400 where there is no such one."""
    slug = readable(request.GET.get("project", ""), 80)
    if not slug:
        return None
    projects = Project.objects.of(organization_id).filter(slug=slug, archived_at=None)
    project = projects.first()
    if project is None:
        detail = f"there is no project {slug!r}"
        raise ProblemError("unknown_project", detail, parameter="project")
    return project.pk


def _project_charged(request: HttpRequest, key: ApiKey) -> int | None:
    if not key.is_limited:
        return named_project_id(request, key.organization_id)
    slug = readable(request.GET.get("project", ""), 80)
    if slug not in {"", key.project.slug}:  # whether there is such a project is not told
        detail = f"this key is limited to the project {key.project.slug!r}"
        raise ProblemError("other_project", detail, parameter="project")
    return key.project_id


def wanted_format(request: HttpRequest) -> str:
    """The format that ?format= names, '' for any; ProblemError 422 for an unknown one."""
    name = request.GET.get("format", "")
    try:
        return by_name(name).name if name else ""
    except UnreadableError as error:
        raise ProblemError(error.code, error.reason, parameter="format") from error


def choices_of(request: HttpRequest) -> Choices:
    """The options among the query parameters; ProblemError 400 for one that is wrong."""
    try:
        return choices_from({name: request.GET.get(name, "") for name in CHOICES})
    except BadChoiceError as error:
        raise ProblemError(error.code, str(error)) from error


def reading_of(request: HttpRequest, organization_id: int) -> Reading:
    """How ?mapping= and ?encoding= say a file is read; ProblemError 400 for one that is unknown."""
    encoding = request.GET.get("encoding", "")
    if encoding not in {"", *TEXT_ENCODINGS}:
        detail = f"encoding = {encoding[:40]!r}, expected {' or '.join(TEXT_ENCODINGS)}"
        raise ProblemError("unknown_encoding", detail, parameter="encoding")
    name = readable(request.GET.get("mapping", ""), 100)
    mapping = saved_mapping(organization_id, name) if name else None
    if name and mapping is None:
        detail = f"no mapping is saved as {name!r}"
        raise ProblemError("unknown_mapping", detail, parameter="mapping")
    return Reading(mapping=mapping, encoding=encoding)


def file_name(request: HttpRequest) -> str:
    """The name a file was given by its sender: shown, and a hint to its format; never a path."""
    name = request.GET.get("name") or unquote(request.headers.get("X-File-Name", ""))
    last = name.replace("\\", "/").rpartition("/")[2]
    return " ".join(last.split())[-_NAME_LIMIT:]


def waits(request: HttpRequest) -> bool:
    """Whether ?wait= asks for the counts; ProblemError 400 for another word than true or false."""
    word = request.GET.get("wait", "").lower()
    if word not in _FLAGS:
        detail = f"wait={word[:40]!r}, expected true or false"
        raise ProblemError("bad_flag", detail, parameter="wait")
    return _FLAGS[word]


def idempotency_key(request: HttpRequest) -> str:
    """What the Idempotency-Key header says; ProblemError 400 for a key that is too long."""
    key = request.headers.get("Idempotency-Key", "").strip()
    if len(key) > _KEY_LIMIT:
        detail = f"Idempotency-Key has {len(key)} characters, at most {_KEY_LIMIT} are taken"
        raise ProblemError("bad_idempotency_key", detail)
    return key


def _announced_length(request: HttpRequest) -> int | None:
    if is_chunked(request):
        return None
    text = request.headers.get("Content-Length") or "0"
    return int(text) if text.isascii() and text.isdecimal() else 0
