"""The reader's choice of theme, kept in a cookie so that the first paint is right."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from accounting.web.preferences import THEMES, chosen, keep

ORDER = [theme for theme, _label in THEMES]


@require_POST
def change_theme(request: HttpRequest) -> HttpResponse:
    """Go on to the next of: as the system says, light, dark."""
    back = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()})
    answer = redirect(back if safe else "overview")
    now = chosen(request)["theme"]
    keep(answer, "theme", ORDER[(ORDER.index(now) + 1) % len(ORDER)])
    return answer
