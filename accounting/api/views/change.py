"""GET /api/v1/change."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounting.api.documentation import CHANGE_PARAMETERS, ERRORS
from accounting.api.moves_schema import ChangeAnswerSerializer
from accounting.api.units import CURRENCY, ONE_CURRENCY_PARAMETER, currency_in
from accounting.api.views.base import CUT, BooksView, filter_of, parameters
from accounting.queries.change import change_explained
from accounting.queries.comparing import comparison
from accounting.queries.filters import FilterError
from accounting.queries.writing import written_range
from accounting.queries.writing_moves import written_change, written_sides


class ChangeView(BooksView):
    """Why a cost is not what it was."""

    @extend_schema(
        operation_id="change",
        parameters=[*CHANGE_PARAMETERS, ONE_CURRENCY_PARAMETER],
        responses={200: ChangeAnswerSerializer, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Volume, mix, length, cache and price between the range and the one it is compared with."""
        wanted = filter_of(request, also=(CURRENCY,), without=set(CUT) - {"compare", "weekday"})
        currency = currency_in(parameters(request))
        found, compared = change_explained(wanted), comparison(wanted)
        if found is None or compared is None:
            raise FilterError("nothing_compared", "a change needs compare=prev or yoy", "compare")
        rows = [
            written_change(change) for change in found.changes if currency in {"", change.currency}
        ]
        return Response({**written_range(wanted), **written_sides(found, compared), "rows": rows})
