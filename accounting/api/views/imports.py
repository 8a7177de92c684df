"""GET /api/v1/imports and /api/v1/imports/{id}."""

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from accounting.api.auth import MayReadOrPush, key_that_only_pushes
from accounting.api.documentation import ERRORS, NOT_FOUND, PAGE_PARAMETERS
from accounting.api.fields import FIELDS, cut, fields_parameter, refuse_other_fields
from accounting.api.imports_schema import (
    ImportRowSerializer,
    ImportsAnswerSerializer,
    ImportSerializer,
)
from accounting.api.pagination import CURSOR, LIMIT, page_of
from accounting.api.views.base import (
    BooksView,
    books_of,
    only_id_of,
    only_slug_of,
    parameters,
    refuse_others,
)
from accounting.queries.imports import import_page, import_summary
from accounting.queries.writing import written_import, written_import_row


class ImportsView(BooksView):
    """What came in; a key that may only push is told of its own."""

    permission_classes = (MayReadOrPush,)

    @extend_schema(
        operation_id="imports",
        parameters=[fields_parameter(ImportRowSerializer), *PAGE_PARAMETERS],
        responses={200: ImportsAnswerSerializer, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Imports, newest first, with the outcome of their lines and what they changed."""
        refuse_others(request, (FIELDS, CURSOR, LIMIT))
        params = parameters(request)
        organization_id, sender = books_of(request).pk, key_that_only_pushes(request)
        refuse_other_fields(params, ImportRowSerializer)
        page = page_of(
            f"imports {sender or ''}", organization_id, params, only=only_slug_of(request)
        )
        found = import_page(
            organization_id,
            limit=page.limit,
            after=page.after[0] if page.after else None,
            api_key_id=sender,
            only_project_id=only_id_of(request),
        )
        rows = [written_import_row(one) for one in found.imports]
        last = (found.imports[-1].id,) if found.imports else ()
        return Response(
            {
                "rows": cut(rows, params, ImportRowSerializer),
                "next": page.next(last, has_more=found.has_more),
            }
        )


class ImportView(BooksView):
    """What became of an import; a key that may only push learns it of its own."""

    permission_classes = (MayReadOrPush,)

    @extend_schema(operation_id="import", responses={200: ImportSerializer, **ERRORS, **NOT_FOUND})
    def get(self, request: Request, import_id: int) -> Response:
        """Its state, the outcome of its lines, what it changed, and its first rejections."""
        refuse_others(request)
        found = import_summary(
            books_of(request).pk,
            import_id,
            api_key_id=key_that_only_pushes(request),
            only_project_id=only_id_of(request),
        )
        if found is None:
            raise NotFound(f"there is no import {import_id}")
        return Response(written_import(found))
