"""Where a form leads back to: the page of this site that it was sent from."""

from urllib.parse import urlsplit, urlunsplit

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


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
