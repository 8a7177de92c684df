"""GET /api/v1/exports/{table}.{layout}: a whole table as a file."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from accounting.api.documentation import (
    ERRORS,
    FILTER_PARAMETERS,
    NOT_FOUND,
    SESSION_FILTER_PARAMETERS,
)
from accounting.api.moments import AT, AT_PARAMETER, moment_in
from accounting.api.pagination import single, text_in
from accounting.api.problems import PROBLEM, ProblemError
from accounting.api.serializers import ProblemSerializer
from accounting.api.units import CURRENCY, ONE_CURRENCY_PARAMETER, currency_in
from accounting.api.views.base import (
    CUT,
    BooksView,
    books_of,
    filter_of,
    however_long,
    only_id_of,
    only_slug_of,
    parameters,
    refuse_others,
)
from accounting.api.views.prices import BOOK, MODEL, PART, PROVIDER
from accounting.api.views.sessions import ORDER, ORDER_PARAMETER
from accounting.exports.files import FORMATS, Begun, TooManyFilesError
from accounting.exports.headings import LANGUAGES
from accounting.exports.imports import import_export
from accounting.exports.parquet_files import NoParquetError
from accounting.exports.prices import price_export
from accounting.exports.requests import request_export
from accounting.exports.tables import Table
from accounting.exports.usage import session_export, usage_export
from accounting.exports.workbooks import TooManyRowsError
from accounting.queries.choices import Choice
from accounting.queries.filters import FilterError, UsageFilter
from accounting.queries.price_list import RateFilter
from accounting.queries.sessions import DEFAULT_ORDER

LANGUAGE = "lang"
#: Characters of a file's name before its days, and of one part of it.
_NAME_LIMIT, _WORD_LIMIT = 140, 40
_FILE_PARAMETERS = [
    OpenApiParameter("layout", location="path", enum=list(FORMATS)),
    OpenApiParameter(
        LANGUAGE,
        enum=LANGUAGES[1:],
        description="Headings of CSV and XLSX in this language, instead of the names of REST.",
    ),
]
_ANSWERS: dict[Any, Any] = {
    **{(200, one.media_type.partition(";")[0]): OpenApiTypes.BINARY for one in FORMATS.values()},
    (200, "application/json"): OpenApiTypes.OBJECT,
    **ERRORS,
    **NOT_FOUND,
    (501, PROBLEM): ProblemSerializer,
}


class UsageExportView(BooksView):
    """Usage by time and dimension, as a file."""

    @extend_schema(
        operation_id="export_usage",
        parameters=[*_FILE_PARAMETERS, *FILTER_PARAMETERS],
        responses=_ANSWERS,
    )
    def get(self, request: Request, layout: str) -> HttpResponseBase:
        """A row for each bucket of each group; the sum of a column is the total of /api/v1/usage."""
        wanted = filter_of(request, also=(LANGUAGE,), check=however_long)
        return _file(request, layout, _named("usage", wanted), lambda: usage_export(wanted))


class SessionExportView(BooksView):
    """Sessions, as a file."""

    @extend_schema(
        operation_id="export_sessions",
        parameters=[*_FILE_PARAMETERS, *SESSION_FILTER_PARAMETERS, ORDER_PARAMETER],
        responses=_ANSWERS,
    )
    def get(self, request: Request, layout: str) -> HttpResponseBase:
        """A row for each session that started in the range."""
        wanted = filter_of(request, also=(LANGUAGE, ORDER), without=CUT, check=however_long)
        order = single(parameters(request), ORDER) or DEFAULT_ORDER
        name = _named("sessions", wanted)
        return _file(request, layout, name, lambda: session_export(wanted, order))


class RequestExportView(BooksView):
    """Single requests, as a file."""

    @extend_schema(
        operation_id="export_requests",
        parameters=[*_FILE_PARAMETERS, *SESSION_FILTER_PARAMETERS],
        responses=_ANSWERS,
    )
    def get(self, request: Request, layout: str) -> HttpResponseBase:
        """A row for each part of each request, newest first."""
        wanted = filter_of(request, also=(LANGUAGE,), without=CUT, check=however_long)
        return _file(request, layout, _named("requests", wanted), lambda: request_export(wanted))


class PriceExportView(BooksView):
    """Prices, as a file."""

    @extend_schema(
        operation_id="export_prices",
        parameters=[
            *_FILE_PARAMETERS,
            AT_PARAMETER,
            OpenApiParameter(BOOK, description="The code of a price book."),
            OpenApiParameter(PROVIDER),
            OpenApiParameter(MODEL, description="A model's whole name."),
            OpenApiParameter(PART, description="Any part of a model's name."),
            ONE_CURRENCY_PARAMETER,
        ],
        responses=_ANSWERS,
    )
    def get(self, request: Request, layout: str) -> HttpResponseBase:
        """The rates in force at a moment, own books first."""
        refuse_others(request, (LANGUAGE, AT, BOOK, PROVIDER, MODEL, PART, CURRENCY))
        params = parameters(request)
        organization, at = books_of(request), moment_in(params)
        zone = ZoneInfo(organization.time_zone)
        asked = RateFilter(
            book=text_in(params, BOOK),
            provider=text_in(params, PROVIDER),
            model=text_in(params, MODEL),
            part=text_in(params, PART),
            currency=currency_in(params),
            only=only_slug_of(request),
        )
        name = f"prices-{at.astimezone(zone).date().isoformat()}"
        return _file(request, layout, name, lambda: price_export(organization.pk, asked, at, zone))


class ImportExportView(BooksView):
    """Imports, as a file."""

    @extend_schema(operation_id="export_imports", parameters=_FILE_PARAMETERS, responses=_ANSWERS)
    def get(self, request: Request, layout: str) -> HttpResponseBase:
        """A row for each import, newest first."""
        refuse_others(request, (LANGUAGE,))
        organization = books_of(request)
        zone, only = ZoneInfo(organization.time_zone), only_id_of(request)
        return _file(request, layout, "imports", lambda: import_export(organization.pk, zone, only))


def _named(name: str, wanted: UsageFilter) -> str:
    """A file's name: how the table is cut, what it is limited to, and its days."""
    parts = [
        name,
        *(f"by-{group}" for group in (wanted.group, wanted.sub) if group),
        *((f"per-{wanted.bucket}",) if wanted.bucket else ()),
        *((wanted.purpose,) if wanted.purpose != "usage" else ()),
        *(part for choice in wanted.choices for part in _said(choice)),
    ]
    named = "-".join(filter(None, map(_word, parts)))
    # Systems count bytes, of which a Chinese character has three.
    short = named.encode()[:_NAME_LIMIT].decode(errors="ignore").rstrip("-.")
    return f"{short}-{wanted.start.isoformat()}-{wanted.end.isoformat()}"


def _said(choice: Choice) -> Iterator[str]:
    yield choice.name
    yield choice.relation.removeprefix("is").strip("_")
    for value in choice.values:
        yield _word(value) or "none"


def _word(text: str) -> str:
    """A text in the characters that every system takes in names of files."""
    return re.sub(r"[^\w.]+", "-", text).strip("-.")[:_WORD_LIMIT]


def _file(request: Request, layout: str, name: str, made: Callable[[], Table]) -> HttpResponseBase:
    """The table as a file of this name, which goes out while it is made."""
    if layout not in FORMATS:
        raise NotFound(f"no file is made as {layout[:20]!r}; there are {', '.join(FORMATS)}")
    wanted = FORMATS[layout]
    language = _language(request)
    headers = {
        "Content-Type": wanted.media_type,
        "Content-Disposition": content_disposition_header(
            as_attachment=True, filename=f"tallybook-{name}.{layout}"
        ),
        "X-Content-Type-Options": "nosniff",
    }
    if request.method == "HEAD":
        return HttpResponse(headers=headers)
    try:
        pieces = Begun(wanted.pieces(made, language))
    except TooManyFilesError as error:
        raise ProblemError("busy", str(error)) from error
    except NoParquetError as error:
        raise ProblemError("no_parquet", str(error)) from error
    except TooManyRowsError as error:
        detail = f"{error}; ask for fewer, or for csv, json or parquet"
        raise FilterError("too_many_rows", detail) from error
    return StreamingHttpResponse(pieces, headers=headers)


def _language(request: Request) -> str:
    language = single(parameters(request), LANGUAGE).lower()
    if language not in LANGUAGES:
        raise FilterError(
            "unknown_language", f"{LANGUAGE}={language[:20]!r}, expected en or zh-hans", LANGUAGE
        )
    return language
