"""GET /api/v1/imports/{id}."""

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from accounting.api.auth import MayReadOrPush, key_that_only_pushes
from accounting.api.documentation import ERRORS, NOT_FOUND
from accounting.api.serializers import ImportSerializer
from accounting.api.views.base import BooksView, books_of, refuse_others
from accounting.queries.imports import import_summary
from accounting.queries.writing import written_import


class ImportView(BooksView):
    """What became of an import; a key that may only push learns it of its own."""

    permission_classes = (MayReadOrPush,)

    @extend_schema(operation_id="import", responses={200: ImportSerializer, **ERRORS, **NOT_FOUND})
    def get(self, request: Request, import_id: int) -> Response:
        """Its state, the outcome of its lines, what it changed, and its first rejections."""
        refuse_others(request)
        found = import_summary(
            books_of(request).pk, import_id, api_key_id=key_that_only_pushes(request)
        )
        if found is None:
            raise NotFound(f"there is no import {import_id}")
        return Response(written_import(found))
