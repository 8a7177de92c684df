"""What readers choose for themselves, in cookies so that the first paint is right: see the form."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounting.web import formatting

YEAR_S = 365 * 24 * 60 * 60
LANGUAGES: tuple[tuple[str, Promise | str], ...] = (
    ("", _("as the browser says")),
    *settings.LANGUAGES,
)
THEMES: tuple[tuple[str, Promise], ...] = (
    ("", _("as the system says")),
    ("light", _("light")),
    ("dark", _("dark")),
)
COUNTINGS: tuple[tuple[str, Promise | str], ...] = (
    ("", _("as in the language")),
    ("letters", "K, M, B"),
    ("myriads", "万、亿"),
)
#: What can be chosen, by the name of its field, and the cookie that holds it.
COOKIES = {"language": settings.LANGUAGE_COOKIE_NAME, "theme": "theme", "counting": "counting"}


def chosen(request: HttpRequest) -> dict[str, str]:
    """What the reader chose, by field; '' where they did not, or something that can't be chosen."""
    allowed = {"language": LANGUAGES, "theme": THEMES, "counting": COUNTINGS}
    return {
        name: value
        if (value := request.COOKIES.get(cookie, "")) in {code for code, _label in allowed[name]}
        else ""
        for name, cookie in COOKIES.items()
    }


def keep(answer: HttpResponse, name: str, value: str) -> None:
    """Let the reader's browser remember a choice; '' forgets it."""
    if value:
        answer.set_cookie(COOKIES[name], value, max_age=YEAR_S, samesite="Lax")
    else:
        answer.delete_cookie(COOKIES[name], samesite="Lax")


def counting_as_chosen(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: large numbers of this answer read as the reader chose."""

    def answered(request: HttpRequest) -> HttpResponse:
        before = formatting.counting.set(request.COOKIES.get(COOKIES["counting"], ""))
        try:
            return get_response(request)
        finally:
            formatting.counting.reset(before)

    return answered
