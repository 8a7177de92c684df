"""GET and POST /api/v1/estimate."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounting.api.bodies import json_in
from accounting.api.documentation import BODY_ERRORS, ERRORS, SESSION_FILTER_PARAMETERS
from accounting.api.estimate_schema import (
    ESTIMATE_PARAMETERS,
    EstimateQuestionSerializer,
    EstimateSerializer,
)
from accounting.api.moments import refuse_as_of
from accounting.api.views.base import (
    BooksView,
    books_of,
    only_id_of,
    only_slug_of,
    parameters,
    refuse_others,
)
from accounting.domain.estimate import BadEstimateError
from accounting.queries.estimate_questions import Params, estimate_question
from accounting.queries.estimate_writing import written_estimate
from accounting.queries.estimates import estimate
from accounting.queries.filters import FilterError


class EstimateView(BooksView):
    """What credits or money buy, and what tokens and sessions cost, at the prices in force."""

    @extend_schema(
        operation_id="estimate",
        parameters=[*ESTIMATE_PARAMETERS, *SESSION_FILTER_PARAMETERS],
        responses={200: EstimateSerializer, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Models side by side; the mix of the filter's usage fills in what is not given."""
        return _answer(request, parameters(request))

    @extend_schema(
        operation_id="estimate_by_post",
        request=EstimateQuestionSerializer,
        responses={200: EstimateSerializer, **ERRORS, **BODY_ERRORS},
    )
    def post(self, request: Request) -> Response:
        """The same question as a JSON object: names and values are those of the address."""
        refuse_others(request)
        return _answer(request, _params(request))


def _answer(request: Request, params: Params) -> Response:
    refuse_as_of(params)
    question = estimate_question(
        params,
        books_of(request),
        timezone.now(),
        only=only_slug_of(request),
        project_id=only_id_of(request),
    )
    try:
        return Response(written_estimate(estimate(question)))
    except BadEstimateError as error:
        raise FilterError(error.code, str(error)) from error


def _params(request: Request) -> dict[str, list[str]]:
    """A JSON object as parameters; numbers stay the text they were."""
    values = json_in(request._request.body, floats=str, ints=str)  # noqa: SLF001
    if not isinstance(values, dict):
        raise FilterError("bad_body", "expected a JSON object")
    params: dict[str, list[str]] = {}
    for name, value in values.items():
        many = value if isinstance(value, list) else [value]
        if any(isinstance(one, list | dict) for one in many):
            raise FilterError("bad_value", f"{name[:80]}: expected a text or a number", name[:80])
        params[name] = [str(one) for one in many if one is not None]
    return {name: texts for name, texts in params.items() if texts}
