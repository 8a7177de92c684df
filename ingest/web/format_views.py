"""What Tallybook reads: every format, where its file is found, and a sample of it."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from accounting.models import Organization
from accounting.web.access import for_member
from ingest.formats.catalogue import FormatPage, catalogue, sample_bytes
from ingest.formats.codes import REFUSALS, REJECTIONS, SKIPS


@require_GET
@for_member
def formats(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Every format by title, or those whose words contain ?search=."""
    search = request.GET.get("search", "").strip()[:200]
    pages = [page for page in catalogue() if search.lower() in _words(page).lower()]
    context = {
        "organization": organization,
        "pages": pages,
        "count": len(catalogue()),
        "search": search,
        "codes": {"rejected": REJECTIONS, "refused": REFUSALS, "skipped": SKIPS},
    }
    return render(request, "formats/page.html", context)


def _words(page: FormatPage) -> str:
    """What a format is found by: its name, and its texts as they are written and as they are read."""
    texts = (page.title, page.about, page.where)
    return " ".join((page.name, *texts, *map(_, texts)))


@require_GET
@for_member
def sample(_request: HttpRequest, _organization: Organization, path: str) -> HttpResponse:
    """One golden sample, as a file to keep."""
    content = sample_bytes(path)
    if content is None:
        raise Http404
    name = path.rpartition("/")[2].replace('"', "")
    answer = HttpResponse(content, content_type="application/octet-stream")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
