"""Imports: dropping a file, watching it being read, and what could not be read, line by line."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounting.models import Import, Organization
from accounting.services.posting import Change
from accounting.web.access import for_member
from ingest.formats import FORMATS
from ingest.web.forms import OptionsForm
from ingest.web.progress import UNFINISHED, pause_s, progress_of

SHOWN = 50
REJECTIONS_SHOWN = 100


@require_GET
@for_member
def imports(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Where a file is dropped, and the imports so far, newest first."""
    before = _number(request, "before")
    found = Import.objects.of(organization.pk).order_by("-pk")
    page = list(found.filter(pk__lt=before) if before else found)[: SHOWN + 1]
    rows = [
        {
            "source": source,
            "progress": progress_of(source),
            "change": Change.from_json(source.change),
        }
        for source in page[:SHOWN]
    ]
    context = {
        "organization": organization,
        "form": OptionsForm(),
        "rows": rows,
        "next": page[SHOWN - 1].pk if len(page) > SHOWN else None,
        "formats": [known.name for known in FORMATS],
        "max_bytes": settings.MAX_UPLOAD_BYTES,
        "is_waiting": any(source.state in UNFINISHED for source in page),
        **_polling(request),
    }
    part = "#list" if request.headers.get("HX-Request") else ""
    return render(request, f"imports/page.html{part}", context)


@require_GET
@for_member
def one_import(request: HttpRequest, organization: Organization, import_id: int) -> HttpResponse:
    """One import: its progress while it is read, then its result and what was rejected."""
    source = get_object_or_404(Import.objects.of(organization.pk), pk=import_id)
    rejections = source.rejections.order_by("path", "line", "pk")
    context = {
        "organization": organization,
        "source": source,
        "progress": progress_of(source),
        "change": Change.from_json(source.change),
        "rejections": rejections[:REJECTIONS_SHOWN],
        "warnings": source.options.get("warnings", {}),
        "chosen": {k: v for k, v in source.options.items() if k != "warnings"},
        **_polling(request),
    }
    part = "#progress" if request.headers.get("HX-Request") else ""
    return render(request, f"imports/one.html{part}", context)


def _polling(request: HttpRequest) -> dict[str, object]:
    polls = _number(request, "poll")
    return {
        "polls": polls + 1,
        "pause": pause_s(polls),
        "said": _number(request, "said"),
        "is_poll": bool(request.headers.get("HX-Request")),
    }


def _number(request: HttpRequest, name: str) -> int:
    """A small whole number of the address, 0 for anything else."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else 0
