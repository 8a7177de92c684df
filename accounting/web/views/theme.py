"""The reader's choice of theme, kept in a cookie so that the first paint is right."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from accounting.web.preferences import THEMES, chosen, keep
from accounting.web.returning import way_back

ORDER = [theme for theme, _label in THEMES]


@require_POST
def change_theme(request: HttpRequest) -> HttpResponse:
    """Go on to the next of: as the system says, light, dark."""
    answer = redirect(way_back(request) or "overview")
    now = chosen(request)["theme"]
    keep(answer, "theme", ORDER[(ORDER.index(now) + 1) % len(ORDER)])
    return answer
