"""What each panel offers: its link, the question as curl, and its table as a file."""

from collections.abc import Mapping
from urllib.parse import urlencode

from django import template
from django.http import HttpRequest
from django.urls import reverse

from accounting.queries.comparing import address
from accounting.queries.filters import UsageFilter
from accounting.web.asking import DAYS, pinned
from accounting.web.exports import export_links

register = template.Library()
#: What says how a page draws, and nothing about which usage it is.
_OF_THE_PAGE = frozenset({"metric", "compare", "weekday"})
_CUT = frozenset({"group", "sub", "bucket"})
#: Questions of REST that are asked beside a range of comparison.
_COMPARED = frozenset({"api-change"})
#: Those that are about a period of their own.
_WITHOUT_DAYS = frozenset({"api-projection"})


@register.inclusion_tag("components/share.html", takes_context=True)
def share(
    context: Mapping[str, object],
    key: str,
    wanted: UsageFilter,
    api: str,
    table: str = "",
    **params: str,
) -> dict[str, object]:
    """A panel's link, its question to REST as a line of curl, and the files of its table.

    key: the panel's id in the page. api: the address of REST by its name; table: that of exports,
    '' where there is none. params: how the question is cut, '' for not at all.
    """
    request = context["request"]
    assert isinstance(request, HttpRequest)  # noqa: S101
    origin = _origin(request)
    query = urlencode(question(wanted, api, params))
    return {
        "key": key,
        "link": f"{origin}{request.path}?{pinned(request.GET, wanted)}#{key}",
        "curl": f"curl -H \"Authorization: Bearer YOUR-KEY\" '{origin}{reverse(api)}?{query}'",
        "links": export_links(table, wanted, **params)["links"] if table else (),
    }


@register.inclusion_tag("components/copy_link.html", takes_context=True)
def copy_link(context: Mapping[str, object], query: str) -> dict[str, object]:
    """The page's address to be copied with a click. query: parameters that mean the same tomorrow."""
    request = context["request"]
    assert isinstance(request, HttpRequest)  # noqa: S101
    return {"link": f"{_origin(request)}{request.path}?{query}"}


def question(wanted: UsageFilter, api: str, params: Mapping[str, str]) -> list[tuple[str, str]]:
    """The parameters with which REST answers what the panel shows."""
    gone = _CUT | ({"metric"} if api in _COMPARED else _OF_THE_PAGE)
    if api in _WITHOUT_DAYS:
        gone |= DAYS
    pairs = [pair for pair in address(wanted) if pair[0] not in gone]
    return [*pairs, *((name, value) for name, value in params.items() if value)]


def _origin(request: HttpRequest) -> str:
    return f"{request.scheme}://{request.get_host()}"
