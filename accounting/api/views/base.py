"""What every question over REST has in common."""

from collections.abc import Collection, Iterable

from django.http import HttpRequest
from rest_framework.exceptions import NotFound
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from accounting.api.auth import organization_of
from accounting.api.problems import ProblemError
from accounting.models import Organization


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


class BooksView(APIView):
    """A question to the books of the caller's organization."""

    content_negotiation_class = AlwaysJson


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
