"""The reader's choice of theme, kept in a cookie so that the first paint is right."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from accounting.web.context import THEME_COOKIE, THEMES

YEAR_S = 365 * 24 * 60 * 60
ORDER = ("", *THEMES)


@require_POST
def change_theme(request: HttpRequest) -> HttpResponse:
    """Go on to the next of: as the system says, light, dark."""
    back = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()})
    answer = redirect(back if safe else "overview")
    now = request.COOKIES.get(THEME_COOKIE, "")
    chosen = ORDER[(ORDER.index(now) + 1) % len(ORDER)] if now in ORDER else ORDER[1]
    answer.set_cookie(THEME_COOKIE, chosen, max_age=YEAR_S, samesite="Lax")
    return answer
