"""Links from a table of a page to the same table as a file."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.translation import get_language

from accounting.queries.comparing import address
from accounting.queries.filters import UsageFilter

register = template.Library()
#: What a person opens; Parquet is asked for by programs.
LAYOUTS = ("csv", "xlsx", "json")
#: Parameters that no argument of a tag can be called by.
_NAMES = {"model_part": "model~"}
#: How a page cuts and compares its table says nothing about which usage is in it.
_OF_THE_PAGE = frozenset({"group", "sub", "bucket", "metric", "compare", "weekday"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportLink:
    """One format and where the table is to be had in it."""

    name: str
    href: str


@register.inclusion_tag("components/exports.html")
def export_links(
    table: str, wanted: UsageFilter | None = None, **params: str
) -> dict[str, tuple[ExportLink, ...]]:
    """Links to a table of the page's own filter, with headings in the reader's language.

    table: as its address says it. params: of that address, what is empty left out.
    """
    pairs = [pair for pair in address(wanted) if pair[0] not in _OF_THE_PAGE] if wanted else []
    pairs += [(_NAMES.get(name, name), value) for name, value in params.items() if value]
    pairs.append(("lang", _language()))
    query = urlencode(pairs)
    return {
        "links": tuple(
            ExportLink(
                name=layout.upper(),
                href=f"{reverse(f'api-export-{table}', args=[layout])}?{query}",
            )
            for layout in LAYOUTS
        )
    }


def _language() -> str:
    return "zh-hans" if (get_language() or "").startswith("zh") else "en"
