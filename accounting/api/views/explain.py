"""GET /api/v1/explain."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from accounting.api.documentation import ERRORS, NOT_FOUND, SESSION_FILTER_PARAMETERS
from accounting.api.explained import ExplainAnswerSerializer
from accounting.api.pagination import single
from accounting.api.views.base import (
    CUT,
    BooksView,
    books_of,
    filter_of,
    only_id_of,
    parameters,
)
from accounting.queries.explain import MOST_SAMPLES, event_of, explanations, sampled
from accounting.queries.filters import FilterError
from accounting.queries.writing_explained import written_explanation

EVENT, SAMPLE, SEED = "event", "sample", "seed"
_PARAMETERS = [
    OpenApiParameter(EVENT, description="An event's key in hex, or its response id."),
    OpenApiParameter(
        SAMPLE,
        {"type": "integer", "minimum": 1, "maximum": MOST_SAMPLES, "default": 1},
        description="Without event: so many events of the filter, drawn fairly.",
    ),
    OpenApiParameter(SEED, description="Another word draws other events."),
]


class ExplainView(BooksView):
    """Why a request costs what it costs."""

    @extend_schema(
        operation_id="explain",
        parameters=[*_PARAMETERS, *SESSION_FILTER_PARAMETERS],
        responses={200: ExplainAnswerSerializer, **ERRORS, **NOT_FOUND},
    )
    def get(self, request: Request) -> Response:
        """The lines of the bill, the rates behind them, conversions, and the imported line."""
        params = parameters(request)
        organization = books_of(request)
        wanted = filter_of(request, also=(EVENT, SAMPLE, SEED), without=CUT)
        text = single(params, EVENT)
        if text:
            event = event_of(organization.pk, text, only_project_id=only_id_of(request))
            if event is None:
                raise NotFound(f"there is no event {text[:200]!r}")
            events = [event]
        else:
            events = sampled(wanted, _count(params), single(params, SEED))
        found = explanations(organization.pk, events)
        return Response({"rows": [written_explanation(one) for one in found]})


def _count(params: dict[str, list[str]]) -> int:
    text = single(params, SAMPLE) or "1"
    if not (text.isascii() and text.isdigit() and len(text) < 5 and 1 <= int(text) <= MOST_SAMPLES):
        raise FilterError(
            "bad_sample", f"sample={text[:20]!r}, expected 1 to {MOST_SAMPLES}", SAMPLE
        )
    return int(text)
