"""GET /api/v1/runs."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounting.api.documentation import ERRORS, PAGE_PARAMETERS, SHOWN_ZONE_PARAMETER
from accounting.api.fields import FIELDS, cut, fields_parameter, refuse_other_fields
from accounting.api.pagination import CURSOR, LIMIT, page_of
from accounting.api.runs_schema import RunRowSerializer, RunsAnswerSerializer
from accounting.api.views.base import (
    BooksView,
    books_of,
    only_id_of,
    only_slug_of,
    parameters,
    refuse_others,
)
from accounting.api.zones import shown_zone
from accounting.queries.benchmarks import benchmark_runs
from accounting.queries.grammar import ZONE
from accounting.queries.writing_runs import written_run


class RunsView(BooksView):
    """Benchmark runs: what each measured and what it cost."""

    @extend_schema(
        operation_id="runs",
        parameters=[SHOWN_ZONE_PARAMETER, fields_parameter(RunRowSerializer), *PAGE_PARAMETERS],
        responses={200: RunsAnswerSerializer, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Runs, newest first, at most 200 on a page; those that tell no start come last."""
        refuse_others(request, (ZONE, FIELDS, CURSOR, LIMIT))
        params = parameters(request)
        organization = books_of(request)
        zone = shown_zone(params, organization)
        refuse_other_fields(params, RunRowSerializer)
        page = page_of("runs", organization.pk, params, only=only_slug_of(request))
        found = benchmark_runs(
            organization.pk,
            limit=page.limit,
            after=page.after,
            only_project_id=only_id_of(request),
        )
        rows = [written_run(run, zone) for run in found.runs]
        last = found.runs[-1].key if found.runs else ()
        return Response(
            {
                "time_zone": zone.key,
                "rows": cut(rows, params, RunRowSerializer),
                "next": page.next(last, has_more=found.has_more),
            }
        )
