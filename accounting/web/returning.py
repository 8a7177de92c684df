"""Where a form or a page leads back to: the page of this site that it was sent or opened from."""

from urllib.parse import urlsplit, urlunsplit

from django.http import HttpRequest
from django.urls import Resolver404, resolve, reverse
from django.utils.http import url_has_allowed_host_and_scheme

#: Lists from which a session or a request is opened.
LISTS = ("sessions", "requests")


def way_back(request: HttpRequest) -> str:
    """The path, query and fragment that `next` names, '' where it names another site or nothing."""
    told = request.POST if request.method == "POST" else request.GET
    address = told.get("next", "")
    if not url_has_allowed_host_and_scheme(address, allowed_hosts={request.get_host()}):
        return ""
    parts = urlsplit(address)
    # Without host and scheme a path of several slashes would name another host.
    path = f"/{parts.path.lstrip('/')}"
    return urlunsplit(("", "", path, parts.query, parts.fragment))


def list_before(request: HttpRequest) -> tuple[str, str]:
    """The view and address of the list that `next` names with its question; else of all sessions."""
    back = way_back(request)
    try:
        view = resolve(urlsplit(back).path).view_name
    except Resolver404:
        view = ""
    return (view, back) if view in LISTS else (LISTS[0], reverse(LISTS[0]))
