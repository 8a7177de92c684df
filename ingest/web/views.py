"""Imports: dropping a file, watching it being read, and what could not be read, line by line."""

from datetime import timedelta
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_GET

from accounting.domain.aggregates import AggregateTotals
from accounting.domain.changes import Change
from accounting.models import Import, Mapping, Organization
from accounting.models.imports import UNFINISHED_IMPORTS
from accounting.web.access import for_member
from accounting.web.polling import number, polling
from ingest.formats import FORMATS
from ingest.formats.codes import REFUSALS, REJECTIONS
from ingest.services.choices import CHOICES
from ingest.services.inbox import inbox_state
from ingest.services.refusal_words import refusal_told
from ingest.services.tables import ENCODINGS
from ingest.web.dating import dating_of
from ingest.web.forms import OptionsForm
from ingest.web.progress import WARNINGS, Doubt, progress_of
from ingest.web.undoing import undoing_of

SHOWN = 50
REJECTIONS_SHOWN = 100


@require_GET
@for_member
def imports(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Where a file is dropped, and the imports so far, newest first."""
    before = number(request, "before")
    found = Import.objects.of(organization.pk).order_by("-pk")
    page = list(found.filter(pk__lt=before) if before else found)[: SHOWN + 1]
    rows = [
        {
            "source": source,
            "progress": progress_of(source),
            "change": Change.from_json(source.change),
            "refusal": refusal_told(source.error_code, source.reason),
        }
        for source in page[:SHOWN]
    ]
    context = {
        "organization": organization,
        "form": OptionsForm(),
        "rows": rows,
        "next": page[SHOWN - 1].pk if len(page) > SHOWN else None,
        "formats": len(FORMATS),
        "mappings": Mapping.objects.of(organization.pk)
        .order_by("name")
        .values_list("name", flat=True),
        "encodings": ENCODINGS,
        "is_waiting": any(source.state in UNFINISHED_IMPORTS for source in page),
        "inbox": inbox_state(organization.pk),
        **polling(request),
    }
    part = "#list" if request.headers.get("HX-Request") else ""
    return render(request, f"imports/page.html{part}", context)


@require_GET
@for_member
def one_import(request: HttpRequest, organization: Organization, import_id: int) -> HttpResponse:
    """One import: its progress while it is read, then its result and what was rejected."""
    source = get_object_or_404(Import.objects.of(organization.pk), pk=import_id)
    # Why the whole file was refused is said above its lines.
    found = source.rejections.exclude(line=None, path="", code=source.error_code)
    found = found.order_by("path", "line", "pk")[:REJECTIONS_SHOWN]
    rejections = [(one, {**REFUSALS, **REJECTIONS}.get(one.code, "")) for one in found]
    context = {
        "organization": organization,
        "source": source,
        "progress": progress_of(source),
        "change": Change.from_json(source.change),
        "rejections": rejections,
        "refusal": REFUSALS.get(source.error_code, ""),
        "is_folder": any(one.path for one, _meaning in rejections),
        "warnings": _warnings(source),
        "dated": dating_of(source),
        "aggregate": _aggregate(source),
        "took": source.finished_at - source.received_at if source.finished_at else None,
        "undoing": undoing_of(source),
        "days": days_of(source),
        "mapping": source.options.get("mapping", {}).get("name", ""),
        "chosen": {k: v for k, v in source.options.items() if k in {*CHOICES, "encoding"}},
        **polling(request),
    }
    part = "#progress" if request.headers.get("HX-Request") else ""
    return render(request, f"imports/one.html{part}", context)


def days_of(source: Import) -> str:
    """The days an import tells of, as the parameters of an address; all days while none is known."""
    if source.earliest_at is None or source.latest_at is None:
        return "range=all"
    first = timezone.localtime(source.earliest_at).date()
    last = timezone.localtime(source.latest_at).date()
    return urlencode({"from": first.isoformat(), "to": (last + timedelta(days=1)).isoformat()})


def _warnings(source: Import) -> list[Doubt]:
    """Doubts about lines that were counted, by code."""
    told: dict[str, int] = source.options.get("warnings", {})
    places = source.options.get("warned_lines", {})
    return [
        Doubt(
            code=code,
            meaning=WARNINGS.get(code, code),
            lines=lines,
            places=tuple(sorted((path, line) for path, line in places.get(code, ()))),
        )
        for code, lines in sorted(told.items())
    ]


def _aggregate(source: Import) -> AggregateTotals | None:
    """What the import holds of reports, which are kept for comparison and in no sum."""
    told = source.options.get("aggregate")
    return AggregateTotals.from_json(told) if told else None
