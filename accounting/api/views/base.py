"""What every question over REST has in common."""

from collections.abc import Callable, Collection, Iterable
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.decorators import method_decorator
from django.views.decorators.http import conditional_page
from rest_framework.exceptions import NotFound
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounting.api.auth import only_project_of, organization_of
from accounting.api.moments import refuse_as_of
from accounting.api.problems import ProblemError
from accounting.api.throttling import PerCaller
from accounting.models import Organization
from accounting.queries.filters import FilterError, UsageFilter, usage_filter
from accounting.queries.reading import check_reading

#: Parameters that cut usage into rows, or say what a page draws: most addresses have none of them.
CUT = ("group", "sub", "bucket", "metric", "compare", "weekday")


class AlwaysJson(BaseContentNegotiation):
    """Answers in JSON whatever the caller accepts: an error too must be readable."""

    def select_parser(self, _request: Request, parsers: Iterable[BaseParser]) -> BaseParser:
        """The only one."""
        return next(iter(parsers))

    def select_renderer(
        self, _request: Request, renderers: Iterable[BaseRenderer], _suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """The only one."""
        only = next(iter(renderers))
        return only, only.media_type or ""


@method_decorator(conditional_page, name="dispatch")
class BooksView(APIView):
    """A question to the books of the caller's organization.

    An answer to GET has an ETag, and is 304 for whoever has it already.
    """

    content_negotiation_class = AlwaysJson
    metadata_class = None
    throttle_classes = (PerCaller,)

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        """The answer, which nobody may keep for others, nor give again without asking."""
        finished = super().finalize_response(request, response, *args, **kwargs)
        patch_cache_control(finished, private=True, no_cache=True)
        patch_vary_headers(finished, ("Authorization", "X-Api-Key", "Cookie"))
        return finished


class NoSuchAddress(BooksView):
    """Any other address under /api/v1/: a problem, not a page."""

    schema = None

    def get(self, _request: Request, **_rest: str) -> None:
        """404."""
        raise NotFound("there is no such address")

    post = put = patch = delete = get


def books_of(request: Request) -> Organization:
    """The organization asked about: MayRead has let nobody pass who has none."""
    organization = organization_of(request)
    if organization is None:
        raise NotFound
    return organization


def filter_of(
    request: Request,
    *,
    also: Collection[str] = (),
    without: Collection[str] = (),
    check: Callable[[UsageFilter], None] = check_reading,
) -> UsageFilter:
    """The filter in the address, within what the caller may see.

    also: further parameters that the address has; without: those of the filter that it has not. check:
    raises FilterError for what cannot be answered. Raises FilterError.
    """
    params = parameters(request)
    refuse_as_of(params, also)
    for name in without:
        if name in params:
            raise FilterError("unknown_parameter", f"{name!r} is no parameter here", name)
    wanted = usage_filter(
        params,
        books_of(request),
        timezone.now(),
        also=tuple(also),
        only=only_slug_of(request),
    )
    check(wanted)
    return wanted


def however_long(_wanted: UsageFilter) -> None:
    """The check of an answer that may take as long as it takes, as a file may."""


def only_slug_of(request: Request) -> str:
    """The slug of the one project that the caller may see, '' for all."""
    project = only_project_of(request)
    return project.slug if project else ""


def only_id_of(request: Request) -> int | None:
    """The id of the one project that the caller may see, None for all."""
    project = only_project_of(request)
    return project.pk if project else None


def parameters(request: Request | HttpRequest) -> dict[str, list[str]]:
    """The values of each parameter of the address."""
    return dict(request.GET.lists())


def refuse_others(request: Request | HttpRequest, names: Collection[str] = ()) -> None:
    """ProblemError for a parameter that is none of names, and for one that came twice."""
    for name, values in request.GET.lists():
        if name not in names:
            there = f"there are {', '.join(sorted(names))}" if names else "there are none"
            detail = f"{name[:80]!r} is no parameter here; {there}"
            raise ProblemError("unknown_parameter", detail, parameter=name[:80])
        if len(values) > 1:
            detail = f"{name} is given {len(values)} times"
            raise ProblemError("repeated_parameter", detail, parameter=name)
