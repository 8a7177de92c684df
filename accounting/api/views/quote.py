"""POST /api/v1/quote."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounting.api.bodies import json_in
from accounting.api.documentation import BODY_ERRORS, ERRORS
from accounting.api.moments import AS_OF, AS_OF_PARAMETER, version_in
from accounting.api.prices_schema import QuoteQuestionSerializer, QuoteSerializer
from accounting.api.views.base import (
    BooksView,
    books_of,
    only_id_of,
    parameters,
    refuse_others,
)
from accounting.domain.errors import DomainError
from accounting.domain.quotes import answer, question_from
from accounting.queries.filters import FilterError
from accounting.queries.prices import loaded_rates, newest_version, rates_of_version


class QuoteView(BooksView):
    """What given usage would cost."""

    @extend_schema(
        operation_id="quote",
        parameters=[AS_OF_PARAMETER],
        request=QuoteQuestionSerializer,
        responses={200: QuoteSerializer, **ERRORS, **BODY_ERRORS},
    )
    def post(self, request: Request) -> Response:
        """The price of one request, line by line, by the prices in the books; nothing is booked."""
        refuse_others(request, (AS_OF,))
        organization = books_of(request)
        version = version_in(parameters(request), organization)
        if version == newest_version(organization.pk):
            rates = loaded_rates(organization.pk)
        else:
            rates = rates_of_version(organization.pk, version)
        try:
            question = question_from(json_in(request._request.body))  # noqa: SLF001
            told = answer(question, rates, project_id=only_id_of(request))
        except DomainError as error:
            raise FilterError(error.code, str(error)) from error
        return Response({**told, "price_version": version})
