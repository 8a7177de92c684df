"""Undoing an import on its page: what it takes, and doing it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounting.domain.errors import DomainError
from accounting.models import Import, Organization
from accounting.services.undoing import met_by
from accounting.web import refusals
from accounting.web.access import changes
from ingest.services.undoing import undo_imports

#: An import that more imports met is undone by the command.
NAMED = 50
#: A number above this is no id of a row.
_LARGEST_ID = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Undoing:
    """What undoing an import takes. later: the imports that must go before it, or with it."""

    later: Sequence[Import]
    is_too_much: bool


def undoing_of(source: Import) -> Undoing | None:
    """What undoing an import takes; None where there is nothing to undo. At most two statements."""
    if source.state not in {"done", "failed", "quarantined"} or source.door == "demo":
        return None
    if not source.lines:
        return None
    later = met_by(source.organization_id, [source.pk])
    named = Import.objects.of(source.organization_id).filter(pk__in=later[:NAMED]).order_by("-pk")
    return Undoing(later=list(named) if later else [], is_too_much=len(later) > NAMED)


@require_POST
@changes("data")
def undo(request: HttpRequest, organization: Organization, import_id: int) -> HttpResponse:
    """Undo an import, and with it those that are named as `with`."""
    source = get_object_or_404(Import.objects.of(organization.pk), pk=import_id)
    together = {_number(text) for text in request.POST.getlist("with")}
    try:
        undone = undo_imports(
            organization_id=organization.pk, import_ids=[source.pk, *sorted(together)]
        )
    except DomainError as error:
        messages.error(request, refusals.told(error), extra_tags="danger")
    else:
        said = ngettext(
            "Undone: %(removed)s request part is no longer in the books,"
            " %(restored)s are as they were before.",
            "Undone: %(removed)s request parts are no longer in the books,"
            " %(restored)s are as they were before.",
            undone.removed,
        )
        counts = {"removed": f"{undone.removed:,}", "restored": f"{undone.restored:,}"}
        messages.success(request, said % counts, extra_tags="good")
    return redirect("imports.one", import_id)


def _number(text: str) -> int:
    """An id; for what is none 0, which no row has."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(_LARGEST_ID))
    return int(text) if is_number and int(text) <= _LARGEST_ID else 0
