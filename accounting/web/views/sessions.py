"""Sessions: which conversations use the most, and how much goes in for what comes out."""

from functools import partial

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET

from accounting.models import Organization
from accounting.queries.filters import FilterError
from accounting.queries.reading import check_reading
from accounting.queries.sessions import DEFAULT_ORDER, SessionTable, session_table
from accounting.web.access import for_member
from accounting.web.asking import Asked, asked, refused
from accounting.web.columns import column
from accounting.web.cursors import cursor_key, cursor_text

ALSO = ("order", "after")
PAGE_ROWS = 50
#: How often requests are read to tell which sessions a filter means, where no sums tell it.
READINGS = 3
LABELS = (
    ("started", _("Started")),
    ("requests", _("Requests")),
    ("input", _("Input")),
    ("cached", _("Cached")),
    ("output", _("Output")),
    ("ratio", _("In : out")),
)


@require_GET
@for_member
def sessions(request: HttpRequest, organization: Organization) -> HttpResponse:
    """One page of the sessions that started in the range, with the sums of them all."""
    question = asked(request, organization, ALSO, check=partial(check_reading, times=READINGS))
    order, after = request.GET.get("order", DEFAULT_ORDER), request.GET.get("after", "")
    try:
        table = _table(question, order, after)
    except FilterError as error:
        table = _table(question, DEFAULT_ORDER, "")
        question = refused(question, error)
    context = {
        "organization": organization,
        "asked": question,
        "table": table,
        "columns": [
            column(name, label, table.order, is_number=name != "started") for name, label in LABELS
        ],
        "cost_column": column("cost", _("Cost"), table.order),
        "next": cursor_text(table.rows[-1].key) if table.has_more else "",
        "is_first": not after,
    }
    return render(request, "sessions/page.html", context, status=question.status)


def _table(question: Asked, order: str, after: str) -> SessionTable:
    key = cursor_key(after, order) if after else None
    return session_table(question.wanted, order=order, limit=PAGE_ROWS, after=key)
