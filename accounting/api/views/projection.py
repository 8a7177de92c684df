"""GET /api/v1/projection."""

from dataclasses import replace

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounting.api.documentation import ERRORS, PROJECTION_PARAMETERS
from accounting.api.moments import AS_OF, DAY_AS_OF_PARAMETER, day_in
from accounting.api.moves_schema import ProjectionAnswerSerializer
from accounting.api.pagination import single
from accounting.api.units import (
    CURRENCY,
    ONE_CURRENCY_PARAMETER,
    UNIT,
    UNIT_PARAMETER,
    currency_in,
    wants_credits,
)
from accounting.api.views.base import CUT, BooksView, filter_of, parameters
from accounting.domain.periods import day_of, day_start
from accounting.queries.filters import FilterError
from accounting.queries.grammar import DAYS
from accounting.queries.projection import METRICS, PERIODS, period_of, projections
from accounting.queries.writing import written_projection

PERIOD = "period"
_PERIOD_PARAMETER = OpenApiParameter(PERIOD, enum=PERIODS, default=PERIODS[0])


class ProjectionView(BooksView):
    """Where the month, or another period, will end."""

    @extend_schema(
        operation_id="projection",
        parameters=[
            _PERIOD_PARAMETER,
            *PROJECTION_PARAMETERS,
            UNIT_PARAMETER,
            ONE_CURRENCY_PARAMETER,
            DAY_AS_OF_PARAMETER,
        ],
        responses={200: ProjectionAnswerSerializer, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Spent until now and the forecast of the whole, each currency apart or all in credits."""
        params = parameters(request)
        wanted = filter_of(
            request,
            also=(PERIOD, UNIT, CURRENCY, AS_OF),
            without=("range", *DAYS, *CUT),
        )
        period = single(params, PERIOD) or PERIODS[0]
        if period not in PERIODS:
            expected = ", ".join(PERIODS)
            raise FilterError("unknown_period", f"{period[:40]!r}, expected {expected}", PERIOD)
        currency, is_credits = currency_in(params), wants_credits(params)
        if currency and is_credits:
            raise FilterError("currency_and_unit", "give currency or unit, not both", UNIT)
        day = day_in(params)
        if day is not None:
            wanted = replace(wanted, now=day_start(day, wanted.zone))
        start, end = period_of(period, day_of(wanted.now, wanted.zone))
        metric = METRICS[1] if is_credits else METRICS[0]
        found = projections(wanted, start, end, metric=metric)
        as_of = wanted.now.astimezone(wanted.zone)
        rows = [
            {**written_projection(one, as_of), "metric": one.metric}
            for one in found
            if currency in {"", one.currency}
        ]
        return Response({"time_zone": wanted.zone.key, "rows": rows})
