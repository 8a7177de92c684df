"""Saying what the columns of a table of no known format are, and saving that under a name."""

from itertools import zip_longest

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounting.models import Organization
from accounting.web import refusals
from accounting.web.access import changes, for_member
from ingest.formats.base import UnreadableError
from ingest.formats.mapping import BadMappingError
from ingest.services.mappings import Column, sample_columns, save_mapping, saved_mapping
from ingest.services.tables import ENCODINGS
from ingest.web.mapping_form import MappingForm, columns_said

#: A workbook must come whole; of anything else the first 64 KB are enough.
SAMPLE_LIMIT = 20_000_000
FRAGMENT = "imports/mapping.html"


@require_POST
@changes("data")
def columns(request: HttpRequest, _organization: Organization) -> HttpResponse:
    """The form for the columns that a sample shows; the sample is looked at and forgotten."""
    sample = request.FILES.get("sample")
    encoding = request.POST.get("encoding", "")
    if sample is None or (sample.size or 0) > SAMPLE_LIMIT or encoding not in {"", *ENCODINGS}:
        return _refused(request, _("This sample can't be looked at."))
    try:
        found = sample_columns(sample.read(), encoding, request.POST.get("sheet", ""))
    except UnreadableError as error:
        return _refused(request, error.reason)
    name = (sample.name or "").rpartition(".")[0][:100]
    context = {"form": MappingForm(initial={"name": name}), "columns": columns_said(found, {})}
    return render(request, FRAGMENT, context)


@require_POST
@changes("data")
def save(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Save a mapping: 201 with its name, or the form again with what it leaves open."""
    form = MappingForm(request.POST)
    if form.is_valid():
        try:
            definition = form.definition(request.POST)
            saved = save_mapping(organization_id=organization.pk, definition=definition)
        except (BadMappingError, forms.ValidationError) as error:
            form.add_error(
                None,
                error.messages[0]
                if isinstance(error, forms.ValidationError)
                else refusals.told(error),
            )
        else:
            return JsonResponse({"mapping": saved.name}, status=201)
    names, means = request.POST.getlist("column"), request.POST.getlist("means")
    cells = request.POST.getlist("cells")
    shown = [
        Column(name=name, cells=(told,) if told else ())
        for name, told in zip_longest(names, cells[: len(names)], fillvalue="")
    ]
    said = dict(zip(names, means, strict=False))
    context = {"form": form, "columns": columns_said(shown, said)}
    return render(request, FRAGMENT, context, status=422)


@require_GET
@for_member
def mapping_file(_request: HttpRequest, organization: Organization, name: str) -> HttpResponse:
    """A saved mapping as the file that `ingest --mapping` takes."""
    mapping = saved_mapping(organization.pk, name)
    if mapping is None:
        raise Http404
    shown = {"ensure_ascii": False, "indent": 1}
    answer = JsonResponse(dict(mapping.definition), json_dumps_params=shown)
    answer.headers["Content-Disposition"] = 'attachment; filename="mapping.json"'
    return answer


def _refused(request: HttpRequest, reason: str) -> HttpResponse:
    return render(request, FRAGMENT, {"refusal": reason}, status=422)
