"""What every door has in common: POST alone, refusals as problems, and no promise without the database."""

from collections.abc import Callable
from functools import wraps

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse

from accounting.api.problems import ProblemError, problem, unavailable

type View = Callable[[HttpRequest], HttpResponse]


def door(view: View) -> View:
    """Answer POST alone; refusals are problems, and a database that is away is 503, never 500."""

    @wraps(view)
    def guarded(request: HttpRequest) -> HttpResponse:
        if request.method != "POST":
            detail = f"{request.method} is not answered here, only POST"
            return problem("method_not_allowed", detail, headers={"Allow": "POST"})
        try:
            return view(request)
        except ProblemError as error:
            return error.response()
        except (OperationalError, InterfaceError):
            return unavailable()

    return guarded
