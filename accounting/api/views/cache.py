"""GET /api/v1/cache."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounting.api.documentation import CACHE_PARAMETERS, ERRORS, PAGE_PARAMETERS
from accounting.api.fields import FIELDS, cut, fields_parameter, refuse_other_fields
from accounting.api.moves_schema import (
    CacheAnswerSerializer,
    CacheRowSerializer,
    CacheTotalsSerializer,
)
from accounting.api.pagination import CURSOR, LIMIT, filtered_page
from accounting.api.views.base import CUT, BooksView, filter_of, parameters
from accounting.queries.cache import CacheRow, cache_savings
from accounting.queries.cache_moves import cache_moves
from accounting.queries.comparing import comparison
from accounting.queries.filters import UsageFilter
from accounting.queries.writing import Written, written_range
from accounting.queries.writing_moves import written_cache, written_moves

COMPARE = "compare"
_READ = {"group", COMPARE, "weekday"}


class CacheView(BooksView):
    """What prompt caches saved in money, beside how often they were hit."""

    @extend_schema(
        operation_id="cache",
        parameters=[*CACHE_PARAMETERS, fields_parameter(CacheRowSerializer), *PAGE_PARAMETERS],
        responses={200: CacheAnswerSerializer, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Groups by name, models unless another dimension is asked for, and the whole filter."""
        params = parameters(request)
        wanted = filter_of(request, also=(CURSOR, LIMIT, FIELDS), without=set(CUT) - _READ)
        refuse_other_fields(params, CacheRowSerializer)
        asked = filtered_page("cache", wanted, params)
        found = cache_savings(asked.wanted)
        limit = asked.page.limit
        rest = [row for row in found.rows if not asked.page.after or _key(row) > asked.page.after]
        rows = [written_cache(row) for row in rest[:limit]]
        whole = written_cache(found.whole)
        return Response(
            {
                **written_range(asked.wanted),
                "totals": {name: whole[name] for name in CacheTotalsSerializer().get_fields()},
                "moves": _moves(asked.wanted) if COMPARE in params else None,
                "rows": cut(rows, params, CacheRowSerializer),
                "next": asked.next(
                    _key(rest[limit - 1]) if len(rest) > limit else (), has_more=len(rest) > limit
                ),
            }
        )


def _moves(wanted: UsageFilter) -> Written | None:
    """What moved the hit rate; None where nothing is compared."""
    found, compared = cache_moves(wanted), comparison(wanted)
    return written_moves(found, compared) if found and compared else None


def _key(row: CacheRow) -> tuple[str, str]:
    """Its place among the rows."""
    return (row.group.label, row.group.value) if row.group else ("", "")
